#include <algorithm>
#include <numeric>

#include "compile/simplify_rules.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

bool is_counting(const Integers& values) {  // 0, 1, 2, …
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] != static_cast<int64_t>(i)) return false;
  return true;
}

bool all_are(const Integers& values, int64_t number) {
  return std::all_of(values.begin(), values.end(), [&](int64_t v) { return v == number; });
}

Expr reshape_rule(const SimplifyContext& c) {
  const Shape& shape = c.node.results[0].shape;
  if (c.x[0].shape() == shape) return c.x[0];
  if (node_of(c.x[0]).op == &reshape_op) return reshape(operand_of(c.x[0], 0), shape);
  return {};
}

// Whether the axes longer than 1 keep their order: then no element moves.
bool moves_nothing(const Shape& shape, const Integers& permutation) {
  int64_t last = -1;
  for (int64_t axis : permutation) {
    if (shape[axis] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

Expr transpose_rule(const SimplifyContext& c) {
  const Integers& permutation = c.node.attrs.integers("permutation");
  if (is_counting(permutation)) return c.x[0];
  if (node_of(c.x[0]).op == &transpose_op) {
    Integers composed = node_of(c.x[0]).attrs.integers("permutation");
    Integers inner = composed;
    for (size_t i = 0; i < composed.size(); ++i)
      composed[i] = inner[static_cast<size_t>(permutation[i])];
    Expr origin = operand_of(c.x[0], 0);
    return is_counting(composed) ? origin : transpose(origin, composed);
  }
  if (moves_nothing(c.x[0].shape(), permutation)) return reshape(c.x[0], c.node.results[0].shape);
  return {};
}

// The same broadcast without the unit axes that a reshape put in; empty when it did anything else.
Expr broadcast_of_reshape(const SimplifyContext& c) {
  Expr origin = operand_of(c.x[0], 0);
  const Integers& dimensions = c.node.attrs.integers("dimensions");
  Integers of_long_axes;
  Shape long_axes;
  std::vector<int64_t> extents;
  for (size_t axis = 0; axis < dimensions.size(); ++axis) {
    int64_t extent = c.x[0].shape()[static_cast<int64_t>(axis)];
    if (extent == 1) continue;
    of_long_axes.push_back(dimensions[axis]);
    extents.push_back(extent);
  }
  if (origin.shape() != Shape(extents)) return {};
  return broadcast_in_dim(origin, c.node.results[0].shape, of_long_axes);
}

Expr broadcast_rule(const SimplifyContext& c) {
  const Integers& dimensions = c.node.attrs.integers("dimensions");
  const Shape& shape = c.node.results[0].shape;
  const Node& inner = node_of(c.x[0]);
  if (c.x[0].shape() == shape && is_counting(dimensions)) return c.x[0];
  if (inner.op == &broadcast_in_dim_op) {
    Integers composed = inner.attrs.integers("dimensions");
    for (int64_t& dimension : composed) dimension = dimensions[static_cast<size_t>(dimension)];
    return broadcast_in_dim(operand_of(c.x[0], 0), shape, composed);
  }
  if (inner.op == &reshape_op)
    if (Expr result = broadcast_of_reshape(c)) return result;
  bool repeats_nothing = c.x[0].shape().elements() == shape.elements();
  if (repeats_nothing && std::is_sorted(dimensions.begin(), dimensions.end()))
    return reshape(c.x[0], shape);
  return {};
}

Expr slice_rule(const SimplifyContext& c) {
  if (c.x[0].shape() == c.node.results[0].shape) return c.x[0];
  const Node& inner = node_of(c.x[0]);
  if (inner.op != &slice_op) return {};
  Integers starts = c.node.attrs.integers("starts");
  Integers limits = c.node.attrs.integers("limits");
  Integers strides = c.node.attrs.integers("strides");
  for (size_t i = 0; i < starts.size(); ++i) {
    int64_t inner_stride = inner.attrs.integers("strides")[i];
    int64_t count = c.node.results[0].shape[static_cast<int64_t>(i)];
    starts[i] = inner.attrs.integers("starts")[i] + starts[i] * inner_stride;
    strides[i] *= inner_stride;
    limits[i] = count == 0 ? starts[i] : starts[i] + (count - 1) * strides[i] + 1;
  }
  return slice(operand_of(c.x[0], 0), starts, limits, strides);
}

Expr pad_rule(const SimplifyContext& c) {
  bool pads_nothing = all_are(c.node.attrs.integers("low"), 0) &&
                      all_are(c.node.attrs.integers("high"), 0) &&
                      all_are(c.node.attrs.integers("interior"), 0);
  return pads_nothing ? c.x[0] : Expr{};
}

Expr concatenate_rule(const SimplifyContext& c) { return c.x.size() == 1 ? c.x[0] : Expr{}; }

Expr reverse_rule(const SimplifyContext& c) {
  const Integers& dimensions = c.node.attrs.integers("dimensions");
  bool moves_none = std::all_of(dimensions.begin(), dimensions.end(),
                                [&](int64_t axis) { return c.x[0].shape()[axis] <= 1; });
  return moves_none ? c.x[0] : Expr{};
}

// Counting along one axis is a short list repeated.
Expr iota_rule(const SimplifyContext& c) {
  const Type& type = c.node.results[0];
  if (type.shape.rank() < 2) return {};
  int64_t axis = c.node.attrs.integer("dimension");
  Expr line = iota(c.build, {type.dtype, {type.shape[axis]}}, 0);
  return broadcast_in_dim(line, type.shape, {axis});
}

Expr reduce_rule(const SimplifyContext& c) {
  return c.node.attrs.integers("dimensions").empty() ? c.x[0] : Expr{};
}

constexpr OpRule rules[] = {
    {&reshape_op, reshape_rule},
    {&transpose_op, transpose_rule},
    {&broadcast_in_dim_op, broadcast_rule},
    {&slice_op, slice_rule},
    {&pad_op, pad_rule},
    {&concatenate_op, concatenate_rule},
    {&iota_op, iota_rule},
    {&reverse_op, reverse_rule},
    {&reduce_op, reduce_rule},
};

}  // namespace

std::span<const OpRule> structural_rules() { return rules; }

}  // namespace hornbeam
