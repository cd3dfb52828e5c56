#include <fmt/format.h>

#include "backends/cpu/kernel.h"

namespace hornbeam {
namespace {

bool concerns(const Kernel& kernel, const OpDef& op) {
  return kernel.op == nullptr ? op.op_class == OpClass::elementwise : kernel.op == &op;
}

KernelPlan with_bytes(KernelPlan plan, const KernelRequest& request) {
  if (plan.cost.bytes == 0) plan.cost.bytes = bytes_once(request);
  return plan;
}

}  // namespace

double bytes_once(const KernelRequest& request) {
  double bytes = 0;
  for (const Type& operand : request.operands) bytes += static_cast<double>(operand.bytes());
  for (const Type& result : request.node.results) bytes += static_cast<double>(result.bytes());
  return bytes;
}

ChosenKernel choose_kernel(const KernelRequest& request, const CpuInfo& cpu) {
  ChosenKernel chosen;
  for (const Kernel& kernel : all_kernels()) {
    if (!concerns(kernel, *request.node.op)) continue;
    Planned planned = kernel.plan(request, cpu);
    if (auto* plan = std::get_if<KernelPlan>(&planned)) {
      chosen.name = kernel.name;
      chosen.plan = with_bytes(std::move(*plan), request);
      return chosen;
    }
    chosen.refusals.push_back(
        fmt::format("{}: {}", kernel.name, std::get<Refusal>(planned).reason));
  }
  chosen.name = "reference";
  chosen.plan = with_bytes(reference_kernel(request), request);
  return chosen;
}

}  // namespace hornbeam
