// The one list of kernels. Those of one op are tried in this order.
#include "backends/cpu/plans.h"
#include "compile/fused.h"
#include "compile/sample_products.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

constexpr Kernel kernels[] = {
    // chains of elementwise ops, and what is left alone
    {&fused_op, "tiles", plan_tiles_of_body},
    {&fused_op, "node by node", plan_body},
    {nullptr, "tiles", plan_tiles_of_node},
    // loops
    {&scan_op, "loop", plan_scan},
    {&while_op, "loop", plan_while},
    // products and convolutions
    {&dot_general_op, "gemm", plan_matrix_product},
    {&sampled_product_op, "sampled gemm", plan_sampled_product},
    {&conv_op, "winograd 4x4", plan_winograd_4x4},
    {&conv_op, "winograd 2x4", plan_winograd_2x4},
    {&conv_op, "winograd 2x2", plan_winograd_2x2},
    {&conv_op, "direct", plan_direct_convolution},
    {&conv_op, "matrix", plan_matrix_convolution},
    {&conv_input_gradient_op, "winograd 4x4", plan_winograd_4x4},
    {&conv_input_gradient_op, "winograd 2x4", plan_winograd_2x4},
    {&conv_input_gradient_op, "winograd 2x2", plan_winograd_2x2},
    {&conv_input_gradient_op, "direct", plan_direct_convolution},
    {&conv_input_gradient_op, "matrix", plan_matrix_convolution},
    {&conv_kernel_gradient_op, "winograd 4x4", plan_winograd_4x4},
    {&conv_kernel_gradient_op, "winograd 2x4", plan_winograd_2x4},
    {&conv_kernel_gradient_op, "winograd 2x2", plan_winograd_2x2},
    {&conv_kernel_gradient_op, "direct", plan_direct_convolution},
    {&conv_kernel_gradient_op, "matrix", plan_matrix_convolution},
    // pooling
    {&max_pool_op, "pooling", plan_max_pool},
    {&max_pool_gradient_op, "pooling", plan_max_pool_gradient},
    {&average_pool_op, "pooling", plan_average_pool},
    {&average_pool_gradient_op, "pooling", plan_average_pool_gradient},
    // reductions, normalisation, softmax
    {&reduce_op, "reduce", plan_reduce},
    {&reduce_op, "plain", plan_plain_reduce},
    {&argmax_op, "argmax", plan_argmax},
    {&batch_norm_statistics_op, "batch statistics", plan_batch_norm_statistics},
    {&softmax_op, "softmax", plan_softmax},
    {&log_softmax_op, "softmax", plan_log_softmax},
    // tables and copies
    {&gather_op, "rows", plan_gather},
    {&scatter_op, "rows", plan_scatter},
    {&broadcast_in_dim_op, "copy", plan_broadcast},
    {&concatenate_op, "copy", plan_concatenate},
    {&iota_op, "copy", plan_iota},
    {&pad_op, "copy", plan_pad},
    {&reverse_op, "copy", plan_reverse},
    {&slice_op, "copy", plan_slice},
    {&transpose_op, "copy", plan_transpose},
};

}  // namespace

std::span<const Kernel> all_kernels() { return kernels; }

}  // namespace hornbeam
