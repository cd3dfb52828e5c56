#include "backends/backends.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/kernels/isa.h"
#include "backends/pjrt/plugin_device.h"
#include "backends/reference/reference_backend.h"
#include "base/error.h"
#include "base/text.h"

namespace hornbeam {
namespace {

constexpr BackendEntry entries[] = {
    {"reference",
     [](const BackendOptions&) -> std::unique_ptr<Backend> {
       return std::make_unique<ReferenceBackend>();
     }},
    {"cpu",
     [](const BackendOptions& options) -> std::unique_ptr<Backend> {
       if (!options.isa.empty()) force_isa(options.isa);
       return std::make_unique<CpuBackend>(options.threads);
     }},
};

std::vector<std::string_view> known_names() {
  std::vector<std::string_view> names;
  for (const BackendEntry& entry : entries) names.push_back(entry.name);
  for (const pjrt::PluginKind& kind : pjrt::plugin_kinds()) names.push_back(kind.name);
  return names;
}

}  // namespace

std::span<const BackendEntry> all_backends() { return entries; }

std::unique_ptr<Backend> make_backend(std::string_view name, const BackendOptions& options) {
  for (const BackendEntry& entry : entries)
    if (entry.name == name) return entry.make(options);
  if (auto device = pjrt::plugin_device(name))
    return std::make_unique<PjrtBackend>(
        pjrt::options_for(*device, {.replicas = options.replicas,
                                    .settings = options.plugin_options,
                                    .cache = options.program_cache}));
  throw Error("H302", {.message = fmt::format("there is no backend '{}'", name),
                       .place = "--device",
                       .help = did_you_mean(name, known_names(),
                                            fmt::format("there are: {}, pjrt:PATH of a plugin",
                                                        fmt::join(known_names(), ", ")))});
}

}  // namespace hornbeam
