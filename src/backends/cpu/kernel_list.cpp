// The one list of kernels. Those of one op are tried in this order.
#include "backends/cpu/body_kernel.h"
#include "backends/cpu/kernel.h"
#include "compile/fused.h"

namespace hornbeam {
namespace {

constexpr Kernel kernels[] = {
    {&fused_op, "node by node", plan_body},
};

}  // namespace

std::span<const Kernel> all_kernels() { return kernels; }

}  // namespace hornbeam
