#include <fmt/format.h>

#include "backends/cpu/kernel.h"

namespace hornbeam {
namespace {

bool concerns(const Kernel& kernel, const OpDef& op) {
  return kernel.op == nullptr ? op.op_class == OpClass::elementwise : kernel.op == &op;
}

// With what the kernel left to be counted for it.
KernelPlan completed(KernelPlan plan, const KernelRequest& request) {
  KernelCost& cost = plan.cost;
  if (cost.bytes == 0) cost.bytes = bytes_once(request);
  if (cost.seconds == 0) cost.seconds = cost.operations / common_machine::operations_a_second;
  cost.seconds += common_machine::kernel_start + cost.bytes / common_machine::bytes_a_second;
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
      chosen.plan = completed(std::move(*plan), request);
      return chosen;
    }
    chosen.refusals.push_back(
        fmt::format("{}: {}", kernel.name, std::get<Refusal>(planned).reason));
  }
  chosen.name = "reference";
  chosen.plan = completed(reference_kernel(request), request);
  return chosen;
}

}  // namespace hornbeam
