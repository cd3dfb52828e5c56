#include "backends/backends.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/kernels/isa.h"
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

}  // namespace

std::span<const BackendEntry> all_backends() { return entries; }

std::unique_ptr<Backend> make_backend(std::string_view name, const BackendOptions& options) {
  std::vector<std::string_view> names;
  for (const BackendEntry& entry : entries) {
    if (entry.name == name) return entry.make(options);
    names.push_back(entry.name);
  }
  throw Error("H302", {.message = fmt::format("there is no backend '{}'", name),
                       .place = "--device",
                       .help = did_you_mean(name, names,
                                            fmt::format("there are: {}", fmt::join(names, ", ")))});
}

}  // namespace hornbeam
