#include "ops/all.h"

#include "ir/graph.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

const OpDef* const list[] = {
    // elementwise, one operand
    &abs_op,
    &ceil_op,
    &cosine_op,
    &exponential_op,
    &exponential_minus_one_op,
    &floor_op,
    &is_finite_op,
    &log_op,
    &log_plus_one_op,
    &logistic_op,
    &negate_op,
    &not_op,
    &round_nearest_even_op,
    &rsqrt_op,
    &sign_op,
    &sine_op,
    &sqrt_op,
    &tanh_op,
    // elementwise, two or three operands
    &add_op,
    &and_op,
    &compare_op,
    &convert_op,
    &divide_op,
    &maximum_op,
    &minimum_op,
    &multiply_op,
    &or_op,
    &power_op,
    &remainder_op,
    &select_op,
    &shift_left_op,
    &shift_right_logical_op,
    &subtract_op,
    &xor_op,
    // constants
    &constant_op,
    &iota_op,
    // structural
    &broadcast_in_dim_op,
    &concatenate_op,
    &dynamic_slice_op,
    &dynamic_update_slice_op,
    &pad_op,
    &reshape_op,
    &reverse_op,
    &optimization_barrier_op,
    &slice_op,
    &transpose_op,
    // reductions and windows
    &reduce_op,
    &argmax_op,
    &reduce_window_op,
    &select_and_scatter_op,
    // products
    &convolution_op,
    &dot_general_op,
    &conv_op,
    &conv_input_gradient_op,
    &conv_kernel_gradient_op,
    // pooling
    &max_pool_op,
    &max_pool_gradient_op,
    &average_pool_op,
    &average_pool_gradient_op,
    // tables
    &gather_op,
    &scatter_op,
    // random numbers
    &random_bits_op,
    &dropout_op,
    // control
    &scan_op,
    &while_op,
    // replicas
    &all_reduce_op,
    &replica_id_op,
    // normalisation
    &batch_norm_training_op,
    &batch_norm_statistics_op,
    &batch_norm_inference_op,
    &batch_norm_gradient_op,
    // softmax and activations
    &softmax_op,
    &log_softmax_op,
    &celu_op,
    &elu_op,
    &erf_op,
    &gelu_op,
    &hard_shrink_op,
    &hard_sigmoid_op,
    &hard_silu_op,
    &hard_tanh_op,
    &leaky_relu_op,
    &log_sigmoid_op,
    &mish_op,
    &relu_op,
    &relu6_op,
    &selu_op,
    &silu_op,
    &soft_shrink_op,
    &softplus_op,
    &softsign_op,
    &sparse_plus_op,
    &sparse_sigmoid_op,
    &squareplus_op,
    &tanh_shrink_op,
    &threshold_op,
    // losses
    &binary_crossentropy_op,
    &categorical_crossentropy_op,
    &mean_absolute_error_op,
    &mean_squared_error_op,
    &sparse_categorical_crossentropy_op,
};

}  // namespace

std::span<const OpDef* const> all_ops() { return list; }

}  // namespace hornbeam
