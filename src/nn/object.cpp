#include "nn/object.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "nn/names.h"

namespace hornbeam {
namespace {

std::string letters_of(std::string_view name) {
  std::string letters;
  for (char c : name)
    if (c != '_') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return letters;
}

}  // namespace

ObjectForm object_form(const Json& json, std::string_view what, const std::string& place) {
  if (json.is_text()) return {json.as_text(), Json()};
  const Json* name = json.find("class_name");
  const Json* config = json.find("config");
  if (name == nullptr || !name->is_text())
    throw Error("H111",
                {.message = fmt::format("expected the name or the object of a {}, received {}",
                                        what, json_text(json).substr(0, 80)),
                 .place = place});
  // A stand-alone function of Keras 3: {"class_name": "function", "config": "relu"}.
  if (name->as_text() == "function" && config != nullptr && config->is_text())
    return {config->as_text(), Json()};
  return {name->as_text(), config == nullptr ? Json() : *config};
}

bool same_name(std::string_view a, std::string_view b) { return letters_of(a) == letters_of(b); }

void refuse_name(std::string_view name, std::string_view what, const std::string& place,
                 std::span<const std::string_view> known) {
  ErrorParts parts{.message = fmt::format("unknown {} '{}'", what, name),
                   .place = place,
                   .help = did_you_mean(name, known)};
  if (what == "layer") throw Error("H110", std::move(parts));
  throw Error("H115", std::move(parts));
}

void name_field(Fields& fields, std::string& name, std::string_view class_name) {
  fields.custom(
      "name", [&](const Json& json) { name = json.is_null() ? "" : json.as_text(); },
      [&] { return Json(name.empty() ? snake_case(class_name) : name); });
}

void read_fields(KerasObject& object, const Json& config, const std::string& place) {
  Fields fields = Fields::reader(config, place);
  object.fields(fields);
  fields.require_all_known();
}

Json config_of(const KerasObject& object) {
  Fields fields = Fields::writer();
  const_cast<KerasObject&>(object).fields(fields);  // a writer changes nothing
  return std::move(fields).config();
}

Json object_json(const KerasObject& object, std::string_view module) {
  return Json::object({{"module", module},
                       {"class_name", object.class_name()},
                       {"config", config_of(object)},
                       {"registered_name", nullptr}});
}

}  // namespace hornbeam
