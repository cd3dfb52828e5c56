// Settings from a --config file: TOML whose keys are the long names of options.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hornbeam {

struct Setting {
  std::string key;
  std::vector<std::string> values;  // several for an array
  std::string place = {};           // "run.toml:3"
};

// Throws H302 with file and line for text that is not TOML, and for tables or dates.
std::vector<Setting> read_config_file(const std::filesystem::path& path);

}  // namespace hornbeam
