// Ops that keep all elements of a tensor, or repeat them: broadcast, reshape, transpose, reverse.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/reference.h"
#include "ops/rules.h"

namespace hornbeam {
namespace {

size_t axes(const Shape& shape) { return static_cast<size_t>(shape.rank()); }

// --- broadcast_in_dim ---

Types broadcast_type(const OpUse& use) {
  require_operands(use, 1);
  const Type& x = use.operands[0];
  Shape shape(use.attrs.integers("shape"));
  const Integers& dimensions = use.attrs.integers("dimensions");
  require_axes(dimensions, shape.rank(), "dimensions");
  bool fits = dimensions.size() == axes(x.shape);
  for (size_t i = 0; fits && i < dimensions.size(); ++i) {
    int64_t extent = x.shape[static_cast<int64_t>(i)];
    fits = extent == 1 || extent == shape[dimensions[i]];
  }
  require_types(fits, [&] {
    return fmt::format("{} cannot be broadcast to {} along [{}]", to_string(x), to_string(shape),
                       fmt::join(dimensions, ","));
  });
  shape.elements();
  return {{x.dtype, shape}};
}

void broadcast_reference(const Node& node, std::span<const Tensor* const> x, std::span<Tensor> y) {
  const Integers& dimensions = node.attrs.integers("dimensions");
  std::vector<int64_t> from(axes(y[0].shape()), 0), own = x[0]->shape().strides();
  for (size_t i = 0; i < dimensions.size(); ++i)
    if (x[0]->shape()[static_cast<int64_t>(i)] != 1)
      from[static_cast<size_t>(dimensions[i])] = own[i];
  copy_elements(*x[0], 0, from, y[0], 0, y[0].shape().strides(), y[0].shape());
}

Exprs broadcast_gradient(Grad& g) {
  const Integers& dimensions = g.node.attrs.integers("dimensions");
  const Shape& shape = g.x[0].shape();
  Integers summed;
  for (int64_t axis = 0; axis < g.dy[0].rank(); ++axis) {
    auto found = std::ranges::find(dimensions, axis);
    bool repeated = found == dimensions.end() ||
                    (shape[found - dimensions.begin()] == 1 && g.dy[0].shape()[axis] != 1);
    if (repeated) summed.push_back(axis);
  }
  Expr total = summed.empty() ? g.dy[0] : sum(g.dy[0], summed);
  Integers order(dimensions.size());  // the axes of x in the order in which they stand in dy
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int64_t i) { return dimensions[static_cast<size_t>(i)]; });
  Shape sorted_shape;
  {
    std::vector<int64_t> extents;
    for (int64_t axis : order) extents.push_back(shape[axis]);
    sorted_shape = Shape(std::move(extents));
  }
  Integers back(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return {transpose(reshape(total, sorted_shape), back)};
}

// --- reshape, transpose, reverse ---

Types reshape_type(const OpUse& use) {
  require_operands(use, 1);
  Shape shape(use.attrs.integers("shape"));
  require_types(shape.elements() == use.operands[0].shape.elements(), [&] {
    return fmt::format("{} cannot be reshaped to {}", to_string(use.operands[0]), to_string(shape));
  });
  return {{use.operands[0].dtype, shape}};
}

void reshape_reference(const Node&, std::span<const Tensor* const> x, std::span<Tensor> y) {
  std::memcpy(y[0].data(), x[0]->data(), y[0].bytes());
}

Types transpose_type(const OpUse& use) {
  require_operands(use, 1);
  const Integers& permutation = use.attrs.integers("permutation");
  const Shape& shape = use.operands[0].shape;
  require_axes(permutation, shape.rank(), "permutation");
  require_types(permutation.size() == axes(shape), "expected a permutation of all axes");
  std::vector<int64_t> extents;
  for (int64_t axis : permutation) extents.push_back(shape[axis]);
  return {{use.operands[0].dtype, Shape(std::move(extents))}};
}

void transpose_reference(const Node& node, std::span<const Tensor* const> x, std::span<Tensor> y) {
  copy_elements(*x[0], 0, strides_along(x[0]->shape(), node.attrs.integers("permutation")), y[0], 0,
                y[0].shape().strides(), y[0].shape());
}

Exprs transpose_gradient(Grad& g) {
  const Integers& permutation = g.node.attrs.integers("permutation");
  Integers inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i)
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  return {transpose(g.dy[0], inverse)};
}

Types reverse_type(const OpUse& use) {
  require_operands(use, 1);
  require_axes(use.attrs.integers("dimensions"), use.operands[0].shape.rank(), "dimensions");
  return {use.operands[0]};
}

void reverse_reference(const Node& node, std::span<const Tensor* const> x, std::span<Tensor> y) {
  std::vector<int64_t> from = x[0]->shape().strides();
  int64_t start = 0;
  for (int64_t axis : node.attrs.integers("dimensions")) {
    int64_t& stride = from[static_cast<size_t>(axis)];
    start += stride * (x[0]->shape()[axis] - 1);
    stride = -stride;
  }
  copy_elements(*x[0], start, from, y[0], 0, y[0].shape().strides(), y[0].shape());
}

}  // namespace

const OpDef broadcast_in_dim_op{
    .name = "broadcast_in_dim",
    .op_class = OpClass::structural,
    .attrs = {{{"shape", AttrKind::integers}, {"dimensions", AttrKind::integers}}},
    .infer = broadcast_type,
    .reference = broadcast_reference,
    .gradient = broadcast_gradient};
const OpDef reshape_op{
    .name = "reshape",
    .op_class = OpClass::structural,
    .attrs = {{{"shape", AttrKind::integers}}},
    .infer = reshape_type,
    .reference = reshape_reference,
    .gradient = [](Grad& g) { return Exprs{reshape(g.dy[0], Shape(g.x[0].shape()))}; }};
const OpDef transpose_op{.name = "transpose",
                         .op_class = OpClass::structural,
                         .attrs = {{{"permutation", AttrKind::integers}}},
                         .infer = transpose_type,
                         .reference = transpose_reference,
                         .gradient = transpose_gradient};
const OpDef reverse_op{.name = "reverse",
                       .op_class = OpClass::structural,
                       .attrs = {{{"dimensions", AttrKind::integers}}},
                       .infer = reverse_type,
                       .reference = reverse_reference,
                       .gradient = [](Grad& g) {
                         return Exprs{reverse(g.dy[0], g.node.attrs.integers("dimensions"))};
                       }};
Expr broadcast_in_dim(Expr x, const Shape& shape, const Integers& dimensions) {
  Integers identity(axes(shape));
  std::iota(identity.begin(), identity.end(), 0);
  if (x.shape() == shape && dimensions == identity) return x;
  return x.builder->add(broadcast_in_dim_op, {x},
                        {{"shape", shape.extents()}, {"dimensions", dimensions}});
}

Expr broadcast_to(Expr x, const Shape& shape) {
  Integers dimensions;
  for (int64_t i = 0; i < x.rank(); ++i) dimensions.push_back(shape.rank() - x.rank() + i);
  return broadcast_in_dim(x, shape, dimensions);
}

Expr reshape(Expr x, const Shape& shape) {
  if (x.shape() == shape) return x;
  return x.builder->add(reshape_op, {x}, {{"shape", shape.extents()}});
}

Expr reverse(Expr x, const Integers& dimensions) {
  return x.builder->add(reverse_op, {x}, {{"dimensions", dimensions}});
}

Expr transpose(Expr x, const Integers& permutation) {
  if (std::ranges::is_sorted(permutation)) return x;
  return x.builder->add(transpose_op, {x}, {{"permutation", permutation}});
}

}  // namespace hornbeam
