// Where plugins are looked for.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hornbeam::pjrt {

// A kind of device that has a name of its own, "cuda", and where its plugin usually is.
struct PluginKind {
  std::string_view name;
  std::string_view title;                          // "NVIDIA GPUs"
  std::vector<std::string_view> variables;         // of the environment, each a path of the library
  std::vector<std::string_view> python_libraries;  // below a site-packages folder
  std::vector<std::string_view> system_libraries;  // below a folder of libraries
  std::string_view package;                        // of PyPI, to be installed with pip
  bool devices_by_option = false;                  // the plugin is told how many devices it has
};

std::span<const PluginKind> plugin_kinds();
// Nothing for a name that is none.
const PluginKind* find_plugin_kind(std::string_view name);

// What a variable of the environment is set to; nothing when it is not.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
Environment process_environment();

// All places where a plugin of that kind might be, in the order in which they count: variables,
// Python environments ($VIRTUAL_ENV, $CONDA_PREFIX, $PYTHONPATH, the folders beside those of $PATH,
// ~/.local), folders of libraries. No Python is run.
std::vector<std::filesystem::path> plugin_places(const PluginKind& kind,
                                                 const Environment& environment);

// The first of them that is there; that of a variable even when it is not.
std::optional<std::filesystem::path> find_plugin(const PluginKind& kind,
                                                 const Environment& environment);

}  // namespace hornbeam::pjrt
