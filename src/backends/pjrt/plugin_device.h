// Devices behind plugins as the user names them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/pjrt/pjrt_backend.h"
#include "backends/pjrt/plugin_search.h"

namespace hornbeam::pjrt {

// "cuda", "cpu-xla#4", "pjrt:/opt/plugin.so#2".
struct PluginDevice {
  std::string name;                  // the whole text
  const PluginKind* kind = nullptr;  // none: a path is given
  std::filesystem::path path;        // empty: that of the kind is looked for
  std::optional<int> devices;
};

// Nothing for a name of another form; H302 for a number of devices that is none.
std::optional<PluginDevice> plugin_device(std::string_view name);

struct PluginSettings {
  std::optional<int> replicas;
  std::vector<std::string> settings;  // NAME=VALUE: true, false, whole numbers, numbers, texts
  std::filesystem::path cache;
};

// Finds the plugin; H601, naming the package that has it, when it is not there. H302 for a setting
// that is not NAME=VALUE.
PjrtOptions options_for(const PluginDevice& device, const PluginSettings& settings);

}  // namespace hornbeam::pjrt
