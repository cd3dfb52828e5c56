// Batch normalisation (Ioffe and Szegedy, 2015) over the valid samples of a slice.
#include <fmt/format.h>

#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/rules.h"

namespace hornbeam {
namespace {

// x and vectors along the axis, all of one dtype of floats.
void require_vectors(const OpUse& use, std::span<const size_t> vectors) {
  const Type& x = use.operands[0];
  int64_t axis = use.attrs.integer("axis");
  require_types(is_floating(x.dtype) && x.shape.rank() >= 2,
                [&] { return "expected floats of rank 2 or more, received " + to_string(x); });
  require_types(axis >= 1 && axis < x.shape.rank(), [&] {
    return fmt::format("expected an axis 1 to {}, received {}", x.shape.rank() - 1, axis);
  });
  Type vector{x.dtype, {x.shape[axis]}};
  for (size_t i : vectors)
    require_types(use.operands[i] == vector, [&] {
      return fmt::format("expected {} as operand {}, received {}", to_string(vector), i,
                         to_string(use.operands[i]));
    });
}

void require_valid(const Type& valid) {
  require_types(valid == Type{DType::int32, {}}, [&] {
    return "expected the number of valid samples as int32[], received " + to_string(valid);
  });
}

Types training_type(const OpUse& use) {
  require_operands(use, 4);
  require_vectors(use, std::array<size_t, 2>{1, 2});
  require_valid(use.operands[3]);
  Type vector = use.operands[1];
  return {use.operands[0], vector, vector};
}

Types statistics_type(const OpUse& use) {
  require_operands(use, 2);
  require_vectors(use, {});
  require_valid(use.operands[1]);
  const Type& x = use.operands[0];
  Type vector{x.dtype, {x.shape[use.attrs.integer("axis")]}};
  return {vector, vector};
}

Types inference_type(const OpUse& use) {
  require_operands(use, 5);
  require_vectors(use, std::array<size_t, 4>{1, 2, 3, 4});
  return {use.operands[0]};
}

Types gradient_type(const OpUse& use) {
  require_operands(use, 6);
  require_vectors(use, std::array<size_t, 3>{1, 2, 3});
  require_valid(use.operands[4]);
  require_types(use.operands[5] == use.operands[0], [&] {
    return fmt::format("expected a gradient of the type of x, {}, received {}",
                       to_string(use.operands[0]), to_string(use.operands[5]));
  });
  return {use.operands[0], use.operands[1], use.operands[1]};
}

// What the formulas need: which samples are valid, how many values there are a channel, the axes.
struct Scope {
  Expr x, valid;
  int64_t axis;

  Integers reduced() const { return axes_but(axis, x.rank()); }
  Expr along(Expr vector) const { return broadcast_in_dim(vector, Shape(x.shape()), {axis}); }
  Expr masked(Expr value) const {
    Shape shape(x.shape());
    Expr sample = iota(*x.builder, {DType::int32, {shape[0]}}, 0);
    Expr real = broadcast_in_dim(compare(sample, "LT", valid), shape, {0});
    return select(real, value, full_like(value, 0));
  }
  // At least 1, so that a slice without a valid sample gives zeros.
  Expr count() const {
    double others = 1;
    for (int64_t i = 1; i < x.rank(); ++i)
      if (i != axis) others *= static_cast<double>(x.shape()[i]);
    return maximum(convert(valid, x.dtype()) * others, 1);
  }
};

// Centred first: a mean far from zero then costs no digits.
Expr normalized(const Scope& scope, Expr mean, Expr variance, Expr gamma, Expr beta,
                double epsilon) {
  Expr scale = gamma * rsqrt(variance + epsilon);
  return (scope.x - scope.along(mean)) * scope.along(scale) + scope.along(beta);
}

// bfloat16 is too coarse for sums and squares: computed in float32, as Keras does.
Exprs widened(std::span<const Expr> values) {
  Exprs wide(values.begin(), values.end());
  for (Expr& value : wide)
    if (value.dtype() == DType::bfloat16) value = convert(value, DType::float32);
  return wide;
}

Exprs narrowed(Exprs values, DType dtype) {
  for (Expr& value : values) value = convert(value, dtype);
  return values;
}

Exprs statistics_expand(Builder&, const Node& node, std::span<const Expr> operands) {
  Exprs x = widened(operands);
  Scope scope{x[0], x[1], node.attrs.integer("axis")};
  Expr count = scope.count();
  Expr mean = sum(scope.masked(x[0]), scope.reduced()) / count;
  Expr centered = scope.masked(x[0] - scope.along(mean));
  Expr variance = sum(centered * centered, scope.reduced()) / count;
  return narrowed({mean, variance}, operands[0].dtype());
}

Exprs training_expand(Builder&, const Node& node, std::span<const Expr> operands) {
  Exprs x = widened(operands);
  Scope scope{x[0], x[3], node.attrs.integer("axis")};
  auto [mean, variance] = batch_norm_statistics(x[0], x[3], scope.axis);
  Expr y = normalized(scope, mean, variance, x[1], x[2], node.attrs.number("epsilon"));
  return narrowed({y, mean, variance}, operands[0].dtype());
}

Exprs inference_expand(Builder&, const Node& node, std::span<const Expr> operands) {
  Exprs x = widened(operands);
  Scope scope{x[0], {}, node.attrs.integer("axis")};
  Expr y = normalized(scope, x[3], x[4], x[1], x[2], node.attrs.number("epsilon"));
  return narrowed({y}, operands[0].dtype());
}

// Operands: x, gamma, mean, variance, valid, dy. With n valid values a channel and h normalized x:
// dx = gamma / sqrt(variance + epsilon) (dy - sum(dy) / n - h sum(dy h) / n), which is the paper's
// chain of derivatives put together.
Exprs gradient_expand(Builder&, const Node& node, std::span<const Expr> operands) {
  Exprs x = widened(operands);
  Scope scope{x[0], x[4], node.attrs.integer("axis")};
  Expr inverse = rsqrt(x[3] + node.attrs.number("epsilon")), dy = x[5];
  Expr centered = x[0] - scope.along(x[2]);
  Expr dbeta = sum(scope.masked(dy), scope.reduced());
  Expr dgamma = sum(scope.masked(dy * centered), scope.reduced()) * inverse;
  Expr scale = x[1] * inverse, count = scope.count();
  Expr dx = dy * scope.along(scale) - scope.along(scale * dbeta / count) -
            centered * scope.along(scale * inverse * dgamma / count);
  return narrowed({scope.masked(dx), dgamma, dbeta}, operands[0].dtype());
}

// Gradients also of the statistics, should a loss depend on them.
Exprs training_gradient(Grad& g) {
  int64_t axis = g.node.attrs.integer("axis");
  Scope scope{g.x[0], g.x[3], axis};
  Expr zero = full_like(g.x[1], 0), dx = full_like(g.x[0], 0), dgamma = zero, dbeta = zero;
  if (g.dy[0]) {
    BatchNormGradient parts = batch_norm_gradient(g.x[0], g.x[1], g.y[1], g.y[2], g.x[3], g.dy[0],
                                                  axis, g.node.attrs.number("epsilon"));
    dx = parts.x, dgamma = parts.gamma, dbeta = parts.beta;
  }
  if (g.dy[1]) dx = dx + scope.masked(scope.along(g.dy[1] / scope.count()));
  if (g.dy[2]) {
    Expr centered = g.x[0] - scope.along(g.y[1]);
    dx = dx + scope.masked(centered * scope.along(g.dy[2] * 2 / scope.count()));
  }
  return {dx, dgamma, dbeta, Expr{}};
}

Attrs attrs_of(int64_t axis, double epsilon, int64_t rank) {
  return {{"axis", normalized_axis(axis, rank)}, {"epsilon", epsilon}};
}

}  // namespace

const OpDef batch_norm_training_op{
    .name = "batch_norm_training",
    .attrs = {{{"axis", AttrKind::integer}, {"epsilon", AttrKind::number}}},
    .infer = training_type,
    .expand = training_expand,
    .gradient = training_gradient};
const OpDef batch_norm_statistics_op{.name = "batch_norm_statistics",
                                     .attrs = {{{"axis", AttrKind::integer}}},
                                     .infer = statistics_type,
                                     .expand = statistics_expand};
const OpDef batch_norm_inference_op{
    .name = "batch_norm_inference",
    .attrs = {{{"axis", AttrKind::integer}, {"epsilon", AttrKind::number}}},
    .infer = inference_type,
    .expand = inference_expand};
const OpDef batch_norm_gradient_op{
    .name = "batch_norm_gradient",
    .attrs = {{{"axis", AttrKind::integer}, {"epsilon", AttrKind::number}}},
    .infer = gradient_type,
    .expand = gradient_expand};

BatchNormResult batch_norm_training(Expr x, Expr gamma, Expr beta, Expr valid, int64_t axis,
                                    double epsilon) {
  Exprs operands{x, gamma, beta, valid};
  Exprs results =
      x.builder->add_all(batch_norm_training_op, operands, attrs_of(axis, epsilon, x.rank()));
  return {results[0], results[1], results[2]};
}

BatchNormStatistics batch_norm_statistics(Expr x, Expr valid, int64_t axis) {
  Exprs operands{x, valid};
  Exprs results = x.builder->add_all(batch_norm_statistics_op, operands,
                                     Attrs({{"axis", normalized_axis(axis, x.rank())}}));
  return {results[0], results[1]};
}

Expr batch_norm_inference(Expr x, Expr gamma, Expr beta, Expr mean, Expr variance, int64_t axis,
                          double epsilon) {
  return x.builder->add(batch_norm_inference_op, {x, gamma, beta, mean, variance},
                        attrs_of(axis, epsilon, x.rank()));
}

BatchNormGradient batch_norm_gradient(Expr x, Expr gamma, Expr mean, Expr variance, Expr valid,
                                      Expr dy, int64_t axis, double epsilon) {
  Exprs operands{x, gamma, mean, variance, valid, dy};
  Exprs results =
      x.builder->add_all(batch_norm_gradient_op, operands, attrs_of(axis, epsilon, x.rank()));
  return {results[0], results[1], results[2]};
}

}  // namespace hornbeam
