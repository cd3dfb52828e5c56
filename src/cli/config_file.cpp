#include "cli/config_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "cli/usage.h"

namespace hornbeam {
namespace {

std::string place_of(const std::filesystem::path& path, const toml::source_position& where) {
  return fmt::format("{}:{}", path.string(), where.line);
}

constexpr const char* kinds = "a setting is a text, a number, true, false or a list of them";

[[noreturn]] void refuse(std::string place, const std::string& message) {
  throw Error("H302", {.message = message,
                       .place = std::move(place),
                       .help = "settings are written as option = value, e.g. epochs = 10"});
}

std::string value_text(const std::string& place, const toml::node& node) {
  if (auto text = node.value_exact<std::string>()) return *text;
  if (auto number = node.value_exact<int64_t>()) return fmt::format("{}", *number);
  if (auto number = node.value_exact<double>()) return fmt::format("{}", *number);
  if (auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  refuse(place, kinds);
}

std::vector<Setting> toml_settings(const std::filesystem::path& path) {
  std::vector<Setting> settings;
  try {
    toml::table table = toml::parse(read_text(path), path.string());
    for (auto& [key, node] : table) {
      Setting setting{std::string(key.str()), {}, place_of(path, node.source().begin)};
      if (const toml::array* list = node.as_array())
        for (const toml::node& item : *list)
          setting.values.push_back(value_text(place_of(path, item.source().begin), item));
      else
        setting.values.push_back(value_text(setting.place, node));
      settings.push_back(std::move(setting));
    }
  } catch (const toml::parse_error& error) {
    refuse(place_of(path, error.source().begin), std::string(error.description()));
  }
  return settings;
}

std::string value_text(const std::string& place, const Json& value) {
  if (value.is_text()) return value.as_text();
  if (value.is_number() || value.is_bool()) return json_text(value);
  refuse(place, kinds);
}

// A null is what was not said.
std::vector<Setting> json_settings(const std::filesystem::path& path) {
  std::vector<Setting> settings;
  const Json whole = parse_json(read_text(path), path.string());
  for (const auto& [key, value] : whole.as_object()) {
    if (std::ranges::count(run_facts, key) > 0 || value.is_null()) continue;
    Setting setting{key, {}, fmt::format("{}, {}", path.string(), key)};
    for (const Json& item : value.is_array() ? value.as_array() : Json::Array{value})
      setting.values.push_back(value_text(setting.place, item));
    settings.push_back(std::move(setting));
  }
  return settings;
}

}  // namespace

std::vector<Setting> read_config_file(const std::filesystem::path& path) {
  return as_value_of(
      "--config",
      [&] { return path.extension() == ".json" ? json_settings(path) : toml_settings(path); },
      [] { return "give a TOML file of options, or the config.json of a run"; });
}

}  // namespace hornbeam
