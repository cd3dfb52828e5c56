#include "nn/fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace hornbeam {

Fields Fields::reader(const Json& config, std::string place) {
  Fields fields;
  fields.reading_ = true;
  fields.place_ = std::move(place);
  if (!config.is_null()) {
    if (!config.is_object())
      throw Error("H111", {.message = "expected a configuration, received " + json_text(config),
                           .place = fields.place_});
    fields.config_ = config;
  }
  return fields;
}

Fields Fields::writer() { return {}; }

void Fields::refuse(std::string_view key, const std::string& message) const {
  throw Error("H111", {.message = fmt::format("'{}': {}", key, message), .place = place_});
}

const Json* Fields::take(std::string_view key) {
  named_.emplace_back(key);
  return config_.find(key);
}

template <class T, class Get>
void Fields::simple(std::string_view key, T& value, Get get) {
  if (!reading_) return put(key, Json(value));
  const Json* found = take(key);
  if (found == nullptr) return;
  try {
    value = get(*found);
  } catch (const Error& error) {
    refuse(key, error.parts().message);
  }
}

void Fields::operator()(std::string_view key, bool& value) {
  simple(key, value, [](const Json& json) { return json.as_bool(); });
}

void Fields::operator()(std::string_view key, int64_t& value) {
  simple(key, value, [](const Json& json) { return json.as_integer(); });
}

void Fields::operator()(std::string_view key, double& value) {
  simple(key, value, [](const Json& json) { return json.as_number(); });
}

void Fields::operator()(std::string_view key, std::string& value) {
  simple(key, value, [](const Json& json) { return json.as_text(); });
}

void Fields::operator()(std::string_view key, std::optional<double>& value) {
  custom(
      key,
      [&](const Json& json) {
        value = json.is_null() ? std::nullopt : std::optional(json.as_number());
      },
      [&] { return value ? Json(*value) : Json(); });
}

void Fields::operator()(std::string_view key, std::optional<int64_t>& value) {
  custom(
      key,
      [&](const Json& json) {
        value = json.is_null() ? std::nullopt : std::optional(json.as_integer());
      },
      [&] { return value ? Json(*value) : Json(); });
}

void Fields::operator()(std::string_view key, std::vector<int64_t>& value, size_t count) {
  auto read = [&](const Json& json) {
    if (!json.is_array() && count > 0) {
      value.assign(count, json.as_integer());
      return;
    }
    value.clear();
    for (const Json& item : json.as_array()) value.push_back(item.as_integer());
    if (count > 0 && value.size() != count)
      refuse(key, fmt::format("expected {} numbers, received {}", count, json_text(json)));
  };
  custom(key, read, [&] {
    Json::Array items;
    for (int64_t item : value) items.emplace_back(item);
    return Json(std::move(items));
  });
}

void Fields::kept(std::string_view key, Json& value) {
  custom(
      key, [&](const Json& json) { value = json; }, [&] { return value; });
}

void Fields::custom(std::string_view key, const std::function<void(const Json&)>& read,
                    const std::function<Json()>& write) {
  if (!reading_) return put(key, write());
  const Json* found = take(key);
  if (found == nullptr) return;
  try {
    read(*found);
  } catch (const Error& error) {
    // JSON of another kind, or a dtype that does not exist; nested objects name their own place.
    if (error.code().name != "H104" && error.code().name != "H701") throw;
    refuse(key, error.parts().message);
  }
}

void Fields::neutral(std::string_view key, std::initializer_list<Json> values) {
  if (!reading_) return;
  const Json* found = take(key);
  if (found != nullptr && std::ranges::count(values, *found) == 0)
    refuse(key, fmt::format("the value {} is not supported", json_text(*found)));
}

void Fields::ignore(std::string_view key) {
  if (reading_) take(key);
}

void Fields::fixed(std::string_view key, Json value) {
  if (reading_) return neutral(key, {std::move(value)});
  put(key, std::move(value));
}

void Fields::require_all_known() const {
  for (const auto& [key, value] : config_.as_object()) {
    if (std::ranges::count(named_, key)) continue;
    std::vector<std::string_view> names(named_.begin(), named_.end());
    throw Error("H111", {.message = fmt::format("unknown key '{}' = {}", key, json_text(value)),
                         .place = place_,
                         .help = did_you_mean(key, names)});
  }
}

}  // namespace hornbeam
