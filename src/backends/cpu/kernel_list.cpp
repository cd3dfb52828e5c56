// The one list of kernels. Those of one op are tried in this order.
#include "backends/cpu/body_kernel.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/product_kernels.h"
#include "compile/fused.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

constexpr Kernel kernels[] = {
    {&dot_general_op, "gemm", plan_gemm},
    {&conv_op, "convolution", plan_convolution},
    {&conv_input_gradient_op, "convolution", plan_convolution_input_gradient},
    {&conv_kernel_gradient_op, "convolution", plan_convolution_kernel_gradient},
    {&fused_op, "node by node", plan_body},
};

}  // namespace

std::span<const Kernel> all_kernels() { return kernels; }

}  // namespace hornbeam
