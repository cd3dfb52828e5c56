#include "backends/cpu/kernels/isa.h"

#include <hwy/highway.h>
#include <hwy/targets.h>

#include <string>

#include "base/error.h"

namespace hornbeam {
namespace {

struct Isa {
  std::string_view name;
  int64_t target;
};

constexpr Isa isas[] = {{"avx512", HWY_AVX3}, {"avx2", HWY_AVX2}, {"sse4", HWY_SSE4}};

// The first name that is not masked away by an earlier force_isa.
bool runs_here(const Isa& isa) { return (hwy::SupportedTargets() & isa.target) != 0; }

std::string joined(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

}  // namespace

std::vector<std::string_view> available_isas() {
  const int64_t forced = hwy::SupportedTargets();
  hwy::SetSupportedTargetsForTest(0);
  std::vector<std::string_view> names;
  for (const Isa& isa : isas)
    if (runs_here(isa)) names.push_back(isa.name);
  hwy::SetSupportedTargetsForTest(forced);
  return names;
}

std::string_view current_isa() {
  for (const Isa& isa : isas)
    if (runs_here(isa)) return isa.name;
  throw Error("H302", {.message = "this machine has no instruction set that the kernels can use",
                       .help = "Hornbeam needs an x86-64 processor with SSE4.2."});
}

void force_isa(std::string_view name) {
  const std::vector<std::string_view> available = available_isas();
  for (const Isa& isa : isas) {
    if (isa.name != name) continue;
    for (std::string_view known : available) {
      if (known != name) continue;
      hwy::SetSupportedTargetsForTest(isa.target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      return;
    }
  }
  throw Error("H302", {.message = "instruction set \"" + std::string(name) + "\" is not available",
                       .place = "--isa",
                       .help = "This machine has: " + joined(available) + "."});
}

}  // namespace hornbeam
