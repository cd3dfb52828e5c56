#include "cli/config_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/error.h"
#include "base/files.h"

namespace hornbeam {
namespace {

std::string place_of(const std::filesystem::path& path, const toml::source_position& where) {
  return fmt::format("{}:{}", path.string(), where.line);
}

[[noreturn]] void refuse(const std::filesystem::path& path, const toml::source_position& where,
                         const std::string& message) {
  throw Error("H302", {.message = message,
                       .place = place_of(path, where),
                       .help = "settings are written as option = value, e.g. epochs = 10"});
}

std::string value_text(const std::filesystem::path& path, const toml::node& node) {
  if (auto text = node.value_exact<std::string>()) return *text;
  if (auto number = node.value_exact<int64_t>()) return fmt::format("{}", *number);
  if (auto number = node.value_exact<double>()) return fmt::format("{}", *number);
  if (auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  refuse(path, node.source().begin, "a setting is a text, a number, true, false or a list of them");
}

}  // namespace

std::vector<Setting> read_config_file(const std::filesystem::path& path) {
  std::vector<Setting> settings;
  try {
    toml::table table = toml::parse(read_text(path), path.string());
    for (auto& [key, node] : table) {
      Setting setting{std::string(key.str()), {}, place_of(path, node.source().begin)};
      if (const toml::array* list = node.as_array())
        for (const toml::node& item : *list) setting.values.push_back(value_text(path, item));
      else
        setting.values.push_back(value_text(path, node));
      settings.push_back(std::move(setting));
    }
  } catch (const toml::parse_error& error) {
    refuse(path, error.source().begin, std::string(error.description()));
  }
  return settings;
}

}  // namespace hornbeam
