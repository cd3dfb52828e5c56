// Reductions over axes, and argmax.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/reduction_kind.h"
#include "ops/reference.h"
#include "ops/rules.h"

namespace hornbeam {
namespace {

Types reduce_type(const OpUse& use) {
  require_operands(use, 1);
  const Type& x = use.operands[0];
  const Integers& dimensions = use.attrs.integers("dimensions");
  require_axes(dimensions, x.shape.rank(), "dimensions");
  require_kind(use.attrs.text("kind"), x.dtype);
  std::vector<int64_t> extents;
  for (int64_t axis = 0; axis < x.shape.rank(); ++axis)
    if (!std::ranges::count(dimensions, axis)) extents.push_back(x.shape[axis]);
  return {{x.dtype, Shape(std::move(extents))}};
}

// Sums of floats are kept in double until the end: the oracle is the accurate value.
template <class T>
void reduce_values(const Node& node, const Tensor& x, Tensor& y) {
  const Integers& dimensions = node.attrs.integers("dimensions");
  const std::string& kind = node.attrs.text("kind");
  std::vector<Wide<T>> totals(y.values<T>().size(), initial_value<Wide<T>>(kind));
  std::vector<int64_t> to(static_cast<size_t>(x.shape().rank()), 0), own = y.shape().strides();
  for (int64_t axis = 0, kept = 0; axis < x.shape().rank(); ++axis)
    if (!std::ranges::count(dimensions, axis))
      to[static_cast<size_t>(axis)] = own[static_cast<size_t>(kept++)];
  Walk walk(x.shape(), {to});
  auto combine = combination<Wide<T>>(kind);
  for (T value : x.values<T>()) {
    Wide<T>& total = totals[static_cast<size_t>(walk.offset(0))];
    total = combine(total, widen(value));
    walk.next();
  }
  for (size_t i = 0; i < totals.size(); ++i) y.values<T>()[i] = narrow<T>(totals[i]);
}

void reduce_reference(const Node& node, std::span<const Tensor* const> x, std::span<Tensor> y) {
  visit(x[0]->dtype(), [&]<class T>() { reduce_values<T>(node, *x[0], y[0]); });
}

// A value of the reduced shape, repeated along the reduced axes.
Expr expanded(Expr reduced, Expr like, const Integers& dimensions) {
  Integers kept;
  for (int64_t axis = 0; axis < like.rank(); ++axis)
    if (!std::ranges::count(dimensions, axis)) kept.push_back(axis);
  return broadcast_in_dim(reduced, Shape(like.shape()), kept);
}

// A sum passes dy to every element; an extreme shares it among the elements that reach it.
Exprs reduce_gradient(Grad& g) {
  const Integers& dimensions = g.node.attrs.integers("dimensions");
  const std::string& kind = g.node.attrs.text("kind");
  if (kind == "add") return {expanded(g.dy[0], g.x[0], dimensions)};
  if (kind != "maximum" && kind != "minimum")
    throw Error("H703", {.message = "a reduction by '" + kind + "' has no gradient"});
  Expr reached =
      convert(compare(g.x[0], "EQ", expanded(g.y[0], g.x[0], dimensions)), g.x[0].dtype());
  Expr share = g.dy[0] / reduce(reached, "add", dimensions);
  return {reached * expanded(share, g.x[0], dimensions)};
}

Types argmax_type(const OpUse& use) {
  require_operands(use, 1);
  const Type& x = use.operands[0];
  int64_t axis = use.attrs.integer("axis");
  require_axes({axis}, x.shape.rank(), "axis");
  require_types(x.shape[axis] > 0, "expected a non-empty axis");
  std::vector<int64_t> extents = x.shape.extents();
  extents.erase(extents.begin() + axis);
  return {{DType::int32, Shape(std::move(extents))}};
}

// The smallest index at which the maximum is reached; a NaN counts as the maximum, as in NumPy.
Exprs argmax_expand(Builder& build, const Node& node, std::span<const Expr> x) {
  int64_t axis = node.attrs.integer("axis");
  Expr reached = compare(x[0], "EQ", reduce_keep(x[0], "maximum", {axis}));
  if (is_floating(x[0].dtype())) reached = bitwise_or(reached, compare(x[0], "NE", x[0]));
  Type index_type{DType::int32, x[0].shape()};
  Expr index = iota(build, index_type, axis);
  Expr beyond = full(build, index_type, static_cast<double>(x[0].shape()[axis]));
  return {reduce(select(reached, index, beyond), "minimum", {axis})};
}

Integers all_axes(Expr x) {
  Integers axes;
  for (int64_t axis = 0; axis < x.rank(); ++axis) axes.push_back(axis);
  return axes;
}

Integers normalized(const Integers& dimensions, int64_t rank) {
  Integers axes;
  for (int64_t dimension : dimensions) axes.push_back(normalized_axis(dimension, rank));
  std::ranges::sort(axes);
  return axes;
}

}  // namespace

const OpDef reduce_op{.name = "reduce",
                      .attrs = {{{"kind", AttrKind::text}, {"dimensions", AttrKind::integers}}},
                      .infer = reduce_type,
                      .reference = reduce_reference,
                      .gradient = reduce_gradient};
const OpDef argmax_op{.name = "argmax",
                      .attrs = {{{"axis", AttrKind::integer}}},
                      .infer = argmax_type,
                      .expand = argmax_expand};

Expr reduce(Expr x, std::string_view kind, const Integers& dimensions) {
  Integers axes = normalized(dimensions, x.rank());
  if (axes.empty()) return x;
  return x.builder->add(reduce_op, {x}, {{"kind", std::string(kind)}, {"dimensions", axes}});
}

Expr reduce_keep(Expr x, std::string_view kind, const Integers& dimensions) {
  Shape kept(x.shape());
  for (int64_t axis : normalized(dimensions, x.rank())) kept[axis] = 1;
  return reshape(reduce(x, kind, dimensions), kept);
}

Expr sum(Expr x, const Integers& dimensions) { return reduce(x, "add", dimensions); }
Expr sum_keep(Expr x, const Integers& dimensions) { return reduce_keep(x, "add", dimensions); }
Expr sum_all(Expr x) { return sum(x, all_axes(x)); }

Expr mean(Expr x, const Integers& dimensions) {
  double count = 1;
  for (int64_t axis : normalized(dimensions, x.rank()))
    count *= static_cast<double>(x.shape()[axis]);
  return sum(x, dimensions) / count;
}

Expr argmax(Expr x, int64_t axis) {
  return x.builder->add(argmax_op, {x}, {{"axis", normalized_axis(axis, x.rank())}});
}

}  // namespace hornbeam
