#include "cli/compile_text.h"

#include <fmt/format.h>

#include "base/text.h"
#include "nn/loss.h"
#include "nn/metric.h"

namespace hornbeam {
namespace {

std::string value_text(const Json& value) {
  if (value.is_null()) return "None";
  if (value.is_bool()) return value.as_bool() ? "True" : "False";
  return value.is_text() ? value.as_text() : json_text(value);
}

template <class Base>
std::string object_text(const ObjectTable<Base>& table, const Base& object) {
  const Json defaults = config_of(*make_by_name(table, object.class_name(), ""));
  std::vector<std::string> settings;
  const Json config = config_of(object);
  for (const auto& [key, value] : config.as_object())
    if (key != "name" && defaults.at(key) != value)
      settings.push_back(fmt::format("{}={}", key, value_text(value)));
  std::string name(object.class_name());
  return settings.empty() ? name : fmt::format("{}({})", name, join(settings, ", "));
}

// A name, an object, or lists or objects of them by output.
template <class Base>
std::string forms_text(const ObjectTable<Base>& table, const Json& form) {
  if (form.find("class_name") != nullptr)
    return object_text(table, *read_object(table, form, "compile state"));
  std::vector<std::string> texts;
  if (form.is_array()) {
    for (const Json& each : form.as_array()) texts.push_back(forms_text(table, each));
    return texts.size() == 1 ? texts[0] : fmt::format("[{}]", join(texts, ", "));
  }
  if (!form.is_object()) return value_text(form);
  for (const auto& [output, each] : form.as_object())
    texts.push_back(fmt::format("{}: {}", output, forms_text(table, each)));
  return join(texts, ", ");
}

}  // namespace

std::string compile_text(const CompileConfig& config) {
  std::string text;
  auto line = [&](const char* what, const std::string& value) {
    text += fmt::format("  {:17} {}\n", what, value);
  };
  if (config.optimizer) line("optimizer", object_text(optimizers(), *config.optimizer));
  line("loss", forms_text(losses(), config.loss));
  if (!config.loss_weights.is_null()) line("loss weights", json_text(config.loss_weights));
  if (!config.metrics.is_null()) line("metrics", forms_text(metrics(), config.metrics));
  if (!config.weighted_metrics.is_null())
    line("weighted metrics", forms_text(metrics(), config.weighted_metrics));
  return text;
}

}  // namespace hornbeam
