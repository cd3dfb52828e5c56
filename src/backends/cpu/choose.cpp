#include <fmt/format.h>

#include "backends/cpu/kernel.h"

namespace hornbeam {
namespace {

bool concerns(const Kernel& kernel, const OpDef& op) {
  return kernel.op == nullptr ? op.op_class == OpClass::elementwise : kernel.op == &op;
}

}  // namespace

ChosenKernel choose_kernel(const KernelRequest& request, const CpuInfo& cpu) {
  ChosenKernel chosen;
  for (const Kernel& kernel : all_kernels()) {
    if (!concerns(kernel, *request.node.op)) continue;
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
