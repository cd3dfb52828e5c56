// Builders of all operations: one function an op, with the op's record beside it.
//
// Core ops are one-to-one with StableHLO and keep its names. Composites have an expansion into core
// ops. Operators and binary functions broadcast as NumPy does (shapes aligned at the right, extents
// of 1 repeated) by adding broadcast_in_dim nodes; the ops themselves take equal shapes.
// Type errors are H701.
#pragma once

#include <optional>
#include <string_view>

#include "ir/builder.h"

namespace hornbeam {

// --- elementwise, one operand (ops/elementwise.cpp) ---
extern const OpDef abs_op, ceil_op, cosine_op, exponential_op, exponential_minus_one_op, floor_op,
    is_finite_op, log_op, log_plus_one_op, logistic_op, negate_op, not_op, round_nearest_even_op,
    rsqrt_op, sign_op, sine_op, sqrt_op, tanh_op;
Expr abs(Expr x);
Expr ceil(Expr x);
Expr cosine(Expr x);
Expr exponential(Expr x);
Expr exponential_minus_one(Expr x);
Expr floor(Expr x);
Expr is_finite(Expr x);  // bool
Expr log(Expr x);
Expr log_plus_one(Expr x);
Expr logistic(Expr x);  // 1 / (1 + exp(-x))
Expr negate(Expr x);
Expr logical_not(Expr x);  // of integers: every bit
Expr round_nearest_even(Expr x);
Expr rsqrt(Expr x);
Expr sign(Expr x);  // -1, 0, 1; ±0 and NaN are kept
Expr sine(Expr x);
Expr sqrt(Expr x);
Expr tanh(Expr x);

// --- elementwise, two or three operands (ops/elementwise.cpp) ---
extern const OpDef add_op, and_op, compare_op, convert_op, divide_op, maximum_op, minimum_op,
    multiply_op, or_op, power_op, remainder_op, select_op, shift_left_op, shift_right_logical_op,
    subtract_op, xor_op;
Expr add(Expr a, Expr b);
Expr subtract(Expr a, Expr b);
Expr multiply(Expr a, Expr b);
Expr divide(Expr a, Expr b);
Expr power(Expr a, Expr b);
Expr remainder(Expr a, Expr b);
Expr maximum(Expr a, Expr b);  // NaN when either is; gradient of a tie is halved, as in JAX
Expr minimum(Expr a, Expr b);
Expr bitwise_and(Expr a, Expr b);
Expr bitwise_or(Expr a, Expr b);
Expr bitwise_xor(Expr a, Expr b);
Expr shift_left(Expr a, Expr b);
Expr shift_right_logical(Expr a, Expr b);
Expr compare(Expr a, std::string_view direction, Expr b);  // "EQ" "NE" "LT" "LE" "GT" "GE"; bool
Expr select(Expr predicate, Expr on_true, Expr on_false);
Expr convert(Expr x, DType dtype);  // x itself when it has that dtype

Expr operator-(Expr x);
Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
// A number takes the dtype of the expression beside it.
Expr operator+(Expr a, double b);
Expr operator-(Expr a, double b);
Expr operator-(double a, Expr b);
Expr operator*(Expr a, double b);
Expr operator*(double a, Expr b);
Expr operator/(Expr a, double b);
Expr operator/(double a, Expr b);
Expr maximum(Expr a, double b);
Expr minimum(Expr a, double b);
Expr compare(Expr a, std::string_view direction, double b);

// --- constants and counting (ops/constant.cpp) ---
extern const OpDef iota_op;
Expr constant(Builder& build, Tensor value);
Expr scalar(Builder& build, DType dtype, double value);
Expr full(Builder& build, const Type& type, double value);  // a broadcast scalar
Expr full_like(Expr x, double value);
Expr iota(Builder& build, const Type& type, int64_t dimension);

// --- rearranging elements (ops/rearrange.cpp) ---
extern const OpDef broadcast_in_dim_op, reshape_op, reverse_op, transpose_op;
// Axis i of x becomes axis dimensions[i] of the result.
Expr broadcast_in_dim(Expr x, const Shape& shape, const Integers& dimensions);
Expr broadcast_to(Expr x, const Shape& shape);  // as NumPy does
Expr reshape(Expr x, const Shape& shape);
Expr reverse(Expr x, const Integers& dimensions);
Expr transpose(Expr x, const Integers& permutation);

// --- parts of tensors (ops/slices.cpp) ---
extern const OpDef slice_op, pad_op, concatenate_op, dynamic_slice_op, dynamic_update_slice_op;
Expr concatenate(std::span<const Expr> parts, int64_t dimension);
// `starts`: one int32 or int64 scalar an axis, clamped so that the slice lies inside.
Expr dynamic_slice(Expr x, std::span<const Expr> starts, const Shape& sizes);
Expr dynamic_update_slice(Expr x, Expr update, std::span<const Expr> starts);
// Negative low or high cut elements away.
Expr pad(Expr x, Expr value, const Integers& low, const Integers& high, const Integers& interior);
Expr slice(Expr x, const Integers& starts, const Integers& limits, const Integers& strides);

// --- for passes (ops/barrier.cpp) ---
extern const OpDef optimization_barrier_op;
Expr optimization_barrier(Expr x);  // x itself, as if it were another value

// --- reductions (ops/reduce.cpp) ---
// kind: "add" "maximum" "minimum" "multiply" "and" "or". The result lacks the reduced axes.
extern const OpDef reduce_op, argmax_op;
Expr reduce(Expr x, std::string_view kind, const Integers& dimensions);
Expr reduce_keep(Expr x, std::string_view kind, const Integers& dimensions);  // axes kept as 1
Expr sum(Expr x, const Integers& dimensions);
Expr sum_keep(Expr x, const Integers& dimensions);
Expr mean(Expr x, const Integers& dimensions);
Expr sum_all(Expr x);               // over every axis, to a scalar
Expr argmax(Expr x, int64_t axis);  // composite; int32, the first maximum wins

// --- windows (ops/window.cpp) ---
extern const OpDef reduce_window_op, select_and_scatter_op;
struct Window {  // one entry an axis of the operand
  Integers dimensions, strides, padding_low, padding_high;
};
Expr reduce_window(Expr x, std::string_view kind, const Window& window,
                   const Integers& base_dilations, const Integers& window_dilations);
// Adds each source element to the place of the first maximum of its window; zeros elsewhere.
Expr select_and_scatter(Expr operand, Expr source, const Window& window);

// --- products (ops/dot.cpp, ops/convolution.cpp) ---
extern const OpDef dot_general_op, convolution_op;
struct DotDimensions {
  Integers lhs_batching, rhs_batching, lhs_contracting, rhs_contracting;
};
// Result axes: batching, the free axes of lhs, the free axes of rhs.
Expr dot_general(Expr lhs, Expr rhs, const DotDimensions& dimensions);
Expr dot(Expr lhs, Expr rhs);   // contracts the last axis of lhs with the first of rhs
struct ConvolutionAttributes {  // the general convolution of StableHLO
  Integers window_strides, padding_low, padding_high, lhs_dilation, rhs_dilation;
  std::string dimension_numbers;  // as "b01f_01io->b01f"
  int64_t feature_group_count = 1;
  int64_t batch_group_count = 1;
};
Expr convolution(Expr lhs, Expr rhs, const ConvolutionAttributes& attributes);

// --- convolution and pooling in the terms of networks (ops/conv.cpp, ops/pool.cpp); composites ---
// x is (batch, spatial…, channels) for "channels_last", (batch, channels, spatial…) for
// "channels_first"; kernels are (spatial…, channels / groups, filters). 1 to 3 spatial axes.
extern const OpDef conv_op, conv_input_gradient_op, conv_kernel_gradient_op, max_pool_op,
    max_pool_gradient_op, average_pool_op, average_pool_gradient_op;
struct ConvAttributes {
  Integers strides, padding_low, padding_high, dilation;  // one entry a spatial axis
  int64_t groups = 1;
  std::string data_format = "channels_last";
};
// The bias has one number for each filter, or is left out.
Expr conv(Expr x, Expr kernel, const ConvAttributes& attributes, Expr bias = {});
Expr conv_input_gradient(Expr dy, Expr kernel, const ConvAttributes& attributes,
                         const Shape& input_shape);
Expr conv_kernel_gradient(Expr x, Expr dy, const ConvAttributes& attributes,
                          const Shape& kernel_shape);
struct PoolAttributes {
  Integers window, strides, padding_low, padding_high;  // one entry a spatial axis
  std::string data_format = "channels_last";
};
Expr max_pool(Expr x, const PoolAttributes& attributes);
// The gradient goes to the first maximum of each window.
Expr max_pool_gradient(Expr x, Expr dy, const PoolAttributes& attributes);
Expr average_pool(Expr x, const PoolAttributes& attributes);  // padding is never counted
Expr average_pool_gradient(Expr dy, const PoolAttributes& attributes, const Shape& input_shape);

// --- tables (ops/gather.cpp) ---
extern const OpDef gather_op, scatter_op;
// Rows of `table` (rows, …) at int32 or int64 indices of any shape: (indices…, …). An index outside
// the table is an error when run: H206 with the layer and the sample, `position` counting through
// all indices of the node.
Error index_error(const Node& node, const Shape& indices, int64_t position, int64_t index,
                  int64_t rows);
Expr gather(Expr table, Expr indices);
// zeros of (rows, …) with each update row added at its index; duplicates add up.
Expr scatter(Expr indices, Expr updates, int64_t rows);

// --- random numbers (ops/random.cpp) ---
extern const OpDef random_bits_op, dropout_op;
// int32 words from the Threefry stream of base/rng.h. key, counter: int64 scalars. Words 2j and
// 2j + 1 are the low and high half of threefry(key, counter + j).
Expr random_bits(Expr key, Expr counter, const Shape& shape);
Expr fold_in(Expr key, Expr data);  // int64 scalars; base/rng.h's fold_in
// float32 in [0, 1): the upper 24 bits of each word.
Expr random_uniform(Expr key, const Shape& shape);
// Keeps an element with probability 1 - rate (its uniform is >= rate) and scales it by
// 1 / (1 - rate); rate 1 gives zeros. Its gradient is dropout of dy with the same key. Composite.
Expr dropout(Expr x, Expr key, double rate);

// --- control (ops/control.cpp) ---
extern const OpDef scan_op, while_op;
struct ScanOperands {
  std::span<const Expr> constants = {}, carries = {}, sequences = {};
};
// body: (constants…, carries…, elements of sequences…) -> (carries…, elements of outputs…);
// constants are the same in every step, sequences run along axis 0. Results: final carries, then
// stacked outputs.
Exprs scan(const Graph& body, const ScanOperands& operands, int64_t length, bool reverse = false);
// condition: state -> bool scalar; body: state -> state. Has no gradient.
Exprs while_loop(const Graph& condition, const Graph& body, std::span<const Expr> state);

// --- replicas (ops/replica.cpp) ---
extern const OpDef all_reduce_op, replica_id_op;
// The sum over replicas, by a fixed binary tree over their numbers. The data_parallel pass gives it
// its meaning; in a graph that is run as it stands there is one replica, and it is the identity.
Expr all_reduce(Expr x);
Expr replica_id(Builder& build);  // int64 scalar, 0 … replicas - 1

// --- normalisation (ops/normalization.cpp); composites ---
extern const OpDef batch_norm_training_op, batch_norm_statistics_op, batch_norm_inference_op,
    batch_norm_gradient_op;
struct BatchNormResult {
  Expr y, mean, variance;  // variance is biased (divided by the count)
};
// Statistics per index of `axis`, over all other axes of the first `valid` samples (int32 scalar)
// of axis 0; all samples are normalised. gamma, beta: (extent of axis), always given.
BatchNormResult batch_norm_training(Expr x, Expr gamma, Expr beta, Expr valid, int64_t axis,
                                    double epsilon);
struct BatchNormStatistics {
  Expr mean, variance;
};
// Those of batch_norm_training, into which it expands.
BatchNormStatistics batch_norm_statistics(Expr x, Expr valid, int64_t axis);
Expr batch_norm_inference(Expr x, Expr gamma, Expr beta, Expr mean, Expr variance, int64_t axis,
                          double epsilon);
struct BatchNormGradient {
  Expr x, gamma, beta;
};
// Samples beyond `valid` get gradient 0.
BatchNormGradient batch_norm_gradient(Expr x, Expr gamma, Expr mean, Expr variance, Expr valid,
                                      Expr dy, int64_t axis, double epsilon);

// --- softmax (ops/softmax.cpp) and activations (ops/activations.cpp); composites ---
extern const OpDef softmax_op, log_softmax_op;
Expr softmax(Expr x, int64_t axis);
Expr log_softmax(Expr x, int64_t axis);

// Keras' activation functions that are more than one core op, with their Keras names.
extern const OpDef celu_op, elu_op, erf_op, gelu_op, hard_sigmoid_op, hard_silu_op, hard_tanh_op,
    leaky_relu_op, log_sigmoid_op, mish_op, relu_op, relu6_op, selu_op, silu_op, softplus_op,
    softsign_op, squareplus_op, tanh_shrink_op, soft_shrink_op, hard_shrink_op, sparse_plus_op,
    sparse_sigmoid_op, threshold_op;
Expr celu(Expr x, double alpha = 1);
Expr elu(Expr x, double alpha = 1);
Expr erf(Expr x);  // the error function, for gelu
Expr gelu(Expr x, bool approximate = false);
Expr hard_sigmoid(Expr x);  // Keras 3: clip((x + 3) / 6, 0, 1)
Expr hard_silu(Expr x);
Expr hard_tanh(Expr x);
Expr leaky_relu(Expr x, double negative_slope = 0.2);
Expr log_sigmoid(Expr x);
Expr mish(Expr x);
Expr relu(Expr x);
Expr relu6(Expr x);
Expr selu(Expr x);
Expr silu(Expr x);
Expr softplus(Expr x);
Expr softsign(Expr x);
Expr squareplus(Expr x, double b = 4);
Expr tanh_shrink(Expr x);
Expr soft_shrink(Expr x, double threshold = 0.5);
Expr hard_shrink(Expr x, double threshold = 0.5);
Expr sparse_plus(Expr x);
Expr sparse_sigmoid(Expr x);
Expr threshold(Expr x, double threshold, double default_value);

// --- losses (ops/losses.cpp); composites. One value a sample: the last axis is reduced. ---
extern const OpDef binary_crossentropy_op, categorical_crossentropy_op,
    sparse_categorical_crossentropy_op, mean_squared_error_op, mean_absolute_error_op;
Expr binary_crossentropy(Expr target, Expr prediction, bool from_logits, double label_smoothing);
Expr categorical_crossentropy(Expr target, Expr prediction, bool from_logits,
                              double label_smoothing);
// target: integers, of the prediction's shape without its last axis.
Expr sparse_categorical_crossentropy(Expr target, Expr prediction, bool from_logits);
Expr mean_squared_error(Expr target, Expr prediction);
Expr mean_absolute_error(Expr target, Expr prediction);
Expr one_hot(Expr indices, int64_t classes, DType dtype);  // a new last axis

}  // namespace hornbeam
