// Settings from a --config file: TOML, or the config.json of a run, whose keys are the long names
// of options.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hornbeam {

struct Setting {
  std::string key;
  std::vector<std::string> values;  // several for an array
  std::string place = {};           // "run.toml:3"
};

// What config.json says of a run besides its options.
inline constexpr std::string_view run_facts[] = {"version", "command", "model", "compile"};

// Throws H302 with file and line (the key, in JSON) for text that cannot be read as such, and for
// tables or dates.
std::vector<Setting> read_config_file(const std::filesystem::path& path);

}  // namespace hornbeam
