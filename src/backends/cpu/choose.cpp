#include <fmt/format.h>

#include "backends/cpu/kernel.h"

namespace hornbeam {

ChosenKernel choose_kernel(const KernelRequest& request, const CpuInfo& cpu) {
  ChosenKernel chosen;
  for (const Kernel& kernel : all_kernels()) {
    if (kernel.op != request.node.op) continue;
    Planned planned = kernel.plan(request, cpu);
    if (auto* plan = std::get_if<KernelPlan>(&planned)) {
      chosen.name = kernel.name;
      chosen.plan = std::move(*plan);
      return chosen;
    }
    chosen.refusals.push_back(
        fmt::format("{}: {}", kernel.name, std::get<Refusal>(planned).reason));
  }
  chosen.name = "reference";
  chosen.plan = reference_kernel(request);
  return chosen;
}

}  // namespace hornbeam
