#include "nn/sample_weights.h"

#include "ops/ops.h"

namespace hornbeam {
namespace {

// Weights with the axes of `like`: an axis of extent 1 at the end is dropped or added.
Expr fitted(Expr weights, const Shape& like) {
  std::vector<int64_t> extents = weights.shape().extents();
  extents.resize(static_cast<size_t>(like.rank()), 1);
  return broadcast_to(reshape(weights, Shape(extents)), like);
}

}  // namespace

Expr SampleWeights::applied_to(Expr values) const {
  Shape shape(values.shape());
  Expr real_values = values * broadcast_in_dim(real, shape, {0});
  return given ? real_values * fitted(given, shape) : real_values;
}

Expr SampleWeights::sum() const {
  if (!given) return sum_all(real);
  return sum_all(given * broadcast_in_dim(real, Shape(given.shape()), {0}));
}

Expr divide_or_zero(Expr dividend, Expr divisor) {
  Expr zero = compare(divisor, "EQ", 0.0);
  Expr safe = select(zero, full_like(divisor, 1), divisor);
  return select(zero, full_like(dividend, 0), dividend / safe);
}

}  // namespace hornbeam
