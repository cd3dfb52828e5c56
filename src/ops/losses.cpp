// Losses as Keras 3 computes them on JAX: one value a sample (the last axis is reduced).
// Probabilities are clipped to [1e-7, 1 - 1e-7] before the logarithm.
#include <fmt/format.h>

#include "ops/ops.h"
#include "ops/rules.h"

namespace hornbeam {
namespace {

constexpr double epsilon = 1e-7;

Type without_last(const Type& type) {
  std::vector<int64_t> extents = type.shape.extents();
  extents.pop_back();
  return {type.dtype, Shape(std::move(extents))};
}

Types loss_type(const OpUse& use) {
  require_operands(use, 2);
  const Type &target = use.operands[0], &prediction = use.operands[1];
  require_types(target == prediction && is_floating(target.dtype) && target.shape.rank() >= 1, [&] {
    return fmt::format(
        "expected targets and predictions of one type of floats, received {} "
        "and {}",
        to_string(target), to_string(prediction));
  });
  return {without_last(prediction)};
}

Types sparse_type(const OpUse& use) {
  require_operands(use, 2);
  const Type &target = use.operands[0], &prediction = use.operands[1];
  bool fits = is_floating(prediction.dtype) && prediction.shape.rank() >= 1 &&
              is_integer(target.dtype) && target.shape == without_last(prediction).shape;
  require_types(fits, [&] {
    return fmt::format(
        "expected one integer for each row of predictions, received {} "
        "and {}",
        to_string(target), to_string(prediction));
  });
  return {without_last(prediction)};
}

Expr clipped(Expr probability) { return minimum(maximum(probability, epsilon), 1 - epsilon); }

// Label smoothing mixes in the uniform distribution over `classes`.
Expr smoothed(Expr target, double smoothing, double classes) {
  return smoothing == 0 ? target : target * (1 - smoothing) + smoothing / classes;
}

Expr mean_of_last(Expr x) { return mean(x, {x.rank() - 1}); }

// log p over the last axis, from logits or from probabilities that need not add up to 1.
Expr log_probabilities(Expr prediction, bool from_logits) {
  if (from_logits) return log_softmax(prediction, -1);
  return log(clipped(prediction / sum_keep(prediction, {-1})));
}

Exprs binary_expand(Builder&, const Node& node, std::span<const Expr> x) {
  Expr target = smoothed(x[0], node.attrs.number("label_smoothing"), 2), p = x[1];
  if (node.attrs.boolean("from_logits")) return {mean_of_last(softplus(p) - p * target)};
  p = clipped(p);
  return {mean_of_last(-(target * log(p) + (1 - target) * log(1 - p)))};
}

Exprs categorical_expand(Builder&, const Node& node, std::span<const Expr> x) {
  double classes = static_cast<double>(x[0].shape()[x[0].rank() - 1]);
  Expr target = smoothed(x[0], node.attrs.number("label_smoothing"), classes);
  Expr logs = log_probabilities(x[1], node.attrs.boolean("from_logits"));
  return {-sum(target * logs, {-1})};
}

Exprs sparse_expand(Builder&, const Node& node, std::span<const Expr> x) {
  Expr logs = log_probabilities(x[1], node.attrs.boolean("from_logits"));
  Expr target = one_hot(x[0], x[1].shape()[x[1].rank() - 1], x[1].dtype());
  return {-sum(target * logs, {-1})};
}

Exprs squared_expand(Builder&, const Node&, std::span<const Expr> x) {
  Expr difference = x[0] - x[1];
  return {mean_of_last(difference * difference)};
}

Exprs absolute_expand(Builder&, const Node&, std::span<const Expr> x) {
  return {mean_of_last(abs(x[0] - x[1]))};
}

}  // namespace

const OpDef binary_crossentropy_op{
    .name = "binary_crossentropy",
    .attrs = {{{"from_logits", AttrKind::boolean}, {"label_smoothing", AttrKind::number}}},
    .infer = loss_type,
    .expand = binary_expand};
const OpDef categorical_crossentropy_op{
    .name = "categorical_crossentropy",
    .attrs = {{{"from_logits", AttrKind::boolean}, {"label_smoothing", AttrKind::number}}},
    .infer = loss_type,
    .expand = categorical_expand};
const OpDef sparse_categorical_crossentropy_op{.name = "sparse_categorical_crossentropy",
                                               .attrs = {{{"from_logits", AttrKind::boolean}}},
                                               .infer = sparse_type,
                                               .expand = sparse_expand};
const OpDef mean_squared_error_op{
    .name = "mean_squared_error", .infer = loss_type, .expand = squared_expand};
const OpDef mean_absolute_error_op{
    .name = "mean_absolute_error", .infer = loss_type, .expand = absolute_expand};

Expr binary_crossentropy(Expr target, Expr prediction, bool from_logits, double label_smoothing) {
  return target.builder->add(binary_crossentropy_op, {target, prediction},
                             {{"from_logits", from_logits}, {"label_smoothing", label_smoothing}});
}

Expr categorical_crossentropy(Expr target, Expr prediction, bool from_logits,
                              double label_smoothing) {
  return target.builder->add(categorical_crossentropy_op, {target, prediction},
                             {{"from_logits", from_logits}, {"label_smoothing", label_smoothing}});
}

Expr sparse_categorical_crossentropy(Expr target, Expr prediction, bool from_logits) {
  return target.builder->add(sparse_categorical_crossentropy_op, {target, prediction},
                             {{"from_logits", from_logits}});
}

Expr mean_squared_error(Expr target, Expr prediction) {
  return target.builder->add(mean_squared_error_op, {target, prediction});
}

Expr mean_absolute_error(Expr target, Expr prediction) {
  return target.builder->add(mean_absolute_error_op, {target, prediction});
}

Expr one_hot(Expr indices, int64_t classes, DType dtype) {
  if (indices.dtype() == DType::uint8) indices = convert(indices, DType::int32);
  std::vector<int64_t> extents = indices.shape().extents();
  extents.push_back(1);
  Expr column = reshape(indices, Shape(extents));
  extents.back() = classes;
  Expr numbers = iota(*indices.builder, {indices.dtype(), Shape(extents)}, indices.rank());
  return convert(compare(column, "EQ", numbers), dtype);
}

}  // namespace hornbeam
