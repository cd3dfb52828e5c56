#include "cli/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace hornbeam {

std::string nearest_or_all(std::string_view name, std::vector<std::string_view> classes,
                           const std::vector<std::string_view>& aliases) {
  std::vector<std::string_view> known = classes;
  known.insert(known.end(), aliases.begin(), aliases.end());
  return did_you_mean(name, known, fmt::format("there are: {}", fmt::join(classes, ", ")));
}

std::string keys_text(std::string_view class_name, const Json& config) {
  std::vector<std::string_view> keys;
  for (const auto& [key, value] : config.as_object()) keys.push_back(key);
  return fmt::format("{} takes: {}", class_name, fmt::join(keys, ", "));
}

}  // namespace hornbeam
