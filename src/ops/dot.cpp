// General products of tensors.
#include <fmt/format.h>

#include <algorithm>

#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/reference.h"
#include "ops/rules.h"

namespace hornbeam {
namespace {

DotDimensions dimensions_of(const Attrs& attrs) {
  return {attrs.integers("lhs_batching"), attrs.integers("rhs_batching"),
          attrs.integers("lhs_contracting"), attrs.integers("rhs_contracting")};
}

Integers joined(const Integers& a, const Integers& b) {
  Integers all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

// The axes of a tensor of that rank that are in neither list.
Integers free_axes(int64_t rank, const Integers& batching, const Integers& contracting) {
  Integers used = joined(batching, contracting), free;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (!std::ranges::count(used, axis)) free.push_back(axis);
  return free;
}

void require_equal_extents(const OpUse& use, const Integers& lhs, const Integers& rhs,
                           std::string_view what) {
  const Type &a = use.operands[0], &b = use.operands[1];
  bool fits = lhs.size() == rhs.size();
  for (size_t i = 0; fits && i < lhs.size(); ++i) fits = a.shape[lhs[i]] == b.shape[rhs[i]];
  require_types(fits, [&] {
    return fmt::format("the {} axes of {} and {} differ", what, to_string(a), to_string(b));
  });
}

Types dot_type(const OpUse& use) {
  require_operands(use, 2);
  const Type &a = use.operands[0], &b = use.operands[1];
  require_types(a.dtype == b.dtype && a.dtype != DType::boolean && a.dtype != DType::uint8, [&] {
    return fmt::format("expected floats or int32 or int64 of one type, received {} and {}",
                       to_string(a), to_string(b));
  });
  DotDimensions d = dimensions_of(use.attrs);
  require_axes(joined(d.lhs_batching, d.lhs_contracting), a.shape.rank(), "axes of lhs");
  require_axes(joined(d.rhs_batching, d.rhs_contracting), b.shape.rank(), "axes of rhs");
  require_equal_extents(use, d.lhs_batching, d.rhs_batching, "batching");
  require_equal_extents(use, d.lhs_contracting, d.rhs_contracting, "contracting");
  std::vector<int64_t> extents;
  for (int64_t axis : d.lhs_batching) extents.push_back(a.shape[axis]);
  for (int64_t axis : free_axes(a.shape.rank(), d.lhs_batching, d.lhs_contracting))
    extents.push_back(a.shape[axis]);
  for (int64_t axis : free_axes(b.shape.rank(), d.rhs_batching, d.rhs_contracting))
    extents.push_back(b.shape[axis]);
  return {{a.dtype, Shape(std::move(extents))}};
}

Shape extents_along(const Shape& shape, const Integers& axes) {
  std::vector<int64_t> extents;
  for (int64_t axis : axes) extents.push_back(shape[axis]);
  return Shape(std::move(extents));
}

// Offsets into a tensor of all indices along some of its axes, in row-major order.
std::vector<int64_t> offsets_along(const Shape& shape, const Integers& axes) {
  Shape part = extents_along(shape, axes);
  Walk walk(part, {strides_along(shape, axes)});
  std::vector<int64_t> offsets;
  for (int64_t count = part.elements(); count > 0; --count) {
    offsets.push_back(walk.offset(0));
    walk.next();
  }
  return offsets;
}

// Products of floats are summed in double: the oracle is the accurate value.
template <class T>
void dot_values(const DotDimensions& d, const Tensor& a, const Tensor& b, Tensor& y) {
  auto lhs_batch = offsets_along(a.shape(), d.lhs_batching);
  auto rhs_batch = offsets_along(b.shape(), d.rhs_batching);
  auto rows =
      offsets_along(a.shape(), free_axes(a.shape().rank(), d.lhs_batching, d.lhs_contracting));
  auto columns =
      offsets_along(b.shape(), free_axes(b.shape().rank(), d.rhs_batching, d.rhs_contracting));
  auto lhs_sum = offsets_along(a.shape(), d.lhs_contracting);
  auto rhs_sum = offsets_along(b.shape(), d.rhs_contracting);
  const T *left = a.values<T>().data(), *right = b.values<T>().data();
  T* out = y.values<T>().data();
  std::vector<Wide<T>> totals(columns.size());
  for (size_t batch = 0; batch < lhs_batch.size(); ++batch)
    for (int64_t row : rows) {
      std::ranges::fill(totals, Wide<T>{});
      for (size_t k = 0; k < lhs_sum.size(); ++k) {
        Wide<T> factor = widen(left[lhs_batch[batch] + row + lhs_sum[k]]);
        const T* line = right + rhs_batch[batch] + rhs_sum[k];
        for (size_t j = 0; j < columns.size(); ++j) totals[j] += factor * widen(line[columns[j]]);
      }
      for (Wide<T> total : totals) *out++ = narrow<T>(total);
    }
}

void dot_reference(const Node& node, std::span<const Tensor* const> x, std::span<Tensor> y) {
  visit(x[0]->dtype(),
        [&]<class T>() { dot_values<T>(dimensions_of(node.attrs), *x[0], *x[1], y[0]); });
}

Integers range(int64_t start, size_t count) {
  Integers values;
  for (size_t i = 0; i < count; ++i) values.push_back(start + static_cast<int64_t>(i));
  return values;
}

// The gradient with respect to one side: dy times the other side over its free axes, which leaves
// (batching, free, contracting) to be moved to the side's own order of axes.
Expr side_gradient(Expr dy, Expr mine, Expr other, const Integers& my_batching,
                   const Integers& my_contracting, const Integers& other_batching,
                   const Integers& other_contracting, bool mine_is_lhs) {
  Integers my_free = free_axes(mine.rank(), my_batching, my_contracting);
  Integers other_free = free_axes(other.rank(), other_batching, other_contracting);
  int64_t batch_count = static_cast<int64_t>(my_batching.size());
  int64_t other_start =
      mine_is_lhs ? batch_count + static_cast<int64_t>(my_free.size()) : batch_count;
  Expr product = dot_general(dy, other,
                             {range(0, my_batching.size()), other_batching,
                              range(other_start, other_free.size()), other_free});
  // The free axes of `other` in the product are its contracting axes, in rising order.
  Integers rising = other_contracting;
  std::ranges::sort(rising);
  Integers contracted;
  for (int64_t axis : rising)
    contracted.push_back(my_contracting[static_cast<size_t>(
        std::ranges::find(other_contracting, axis) - other_contracting.begin())]);
  Integers stands = joined(joined(my_batching, my_free), contracted);
  Integers permutation(stands.size());
  for (size_t i = 0; i < stands.size(); ++i)
    permutation[static_cast<size_t>(stands[i])] = static_cast<int64_t>(i);
  return transpose(product, permutation);
}

Exprs dot_gradient(Grad& g) {
  DotDimensions d = dimensions_of(g.node.attrs);
  return {side_gradient(g.dy[0], g.x[0], g.x[1], d.lhs_batching, d.lhs_contracting, d.rhs_batching,
                        d.rhs_contracting, true),
          side_gradient(g.dy[0], g.x[1], g.x[0], d.rhs_batching, d.rhs_contracting, d.lhs_batching,
                        d.lhs_contracting, false)};
}

}  // namespace

const OpDef dot_general_op{.name = "dot_general",
                           .attrs = {{{"lhs_batching", AttrKind::integers},
                                      {"rhs_batching", AttrKind::integers},
                                      {"lhs_contracting", AttrKind::integers},
                                      {"rhs_contracting", AttrKind::integers}}},
                           .infer = dot_type,
                           .reference = dot_reference,
                           .gradient = dot_gradient};

Expr dot_general(Expr lhs, Expr rhs, const DotDimensions& d) {
  return lhs.builder->add(dot_general_op, {lhs, rhs},
                          {{"lhs_batching", d.lhs_batching},
                           {"rhs_batching", d.rhs_batching},
                           {"lhs_contracting", d.lhs_contracting},
                           {"rhs_contracting", d.rhs_contracting}});
}

Expr dot(Expr lhs, Expr rhs) { return dot_general(lhs, rhs, {{}, {}, {lhs.rank() - 1}, {0}}); }

}  // namespace hornbeam
