// Ops that take parts of tensors and put tensors together: slice, pad, concatenate and the slices
// whose place is known only when run.
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

int64_t dot(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), int64_t{0});
}

size_t axes(const Shape& shape) { return static_cast<size_t>(shape.rank()); }

Types slice_type(const OpUse& use) {
  require_operands(use, 1);
  const Shape& shape = use.operands[0].shape;
  const Integers &starts = use.attrs.integers("starts"), &limits = use.attrs.integers("limits"),
                 &strides = use.attrs.integers("strides");
  bool fits =
      starts.size() == axes(shape) && limits.size() == axes(shape) && strides.size() == axes(shape);
  std::vector<int64_t> extents;
  for (size_t i = 0; fits && i < starts.size(); ++i) {
    fits = 0 <= starts[i] && starts[i] <= limits[i] &&
           limits[i] <= shape[static_cast<int64_t>(i)] && strides[i] > 0;
    if (fits) extents.push_back((limits[i] - starts[i] + strides[i] - 1) / strides[i]);
  }
  require_types(fits, [&] {
    return fmt::format("[{}] to [{}] by [{}] is no slice of {}", fmt::join(starts, ","),
                       fmt::join(limits, ","), fmt::join(strides, ","), to_string(use.operands[0]));
  });
  return {{use.operands[0].dtype, Shape(std::move(extents))}};
}

void slice_reference(const Node& node, std::span<const Tensor* const> x, std::span<Tensor> y) {
  std::vector<int64_t> own = x[0]->shape().strides(), from = own;
  for (size_t i = 0; i < from.size(); ++i) from[i] *= node.attrs.integers("strides")[i];
  copy_elements(*x[0], dot(own, node.attrs.integers("starts")), from, y[0], 0,
                y[0].shape().strides(), y[0].shape());
}

Exprs slice_gradient(Grad& g) {
  const Integers &starts = g.node.attrs.integers("starts"),
                 &strides = g.node.attrs.integers("strides");
  Integers high, interior;
  for (size_t i = 0; i < starts.size(); ++i) {
    int64_t axis = static_cast<int64_t>(i), extent = g.dy[0].shape()[axis];
    int64_t covered = extent == 0 ? 0 : (extent - 1) * strides[i] + 1;
    interior.push_back(strides[i] - 1);
    high.push_back(g.x[0].shape()[axis] - starts[i] - covered);
  }
  return {pad(g.dy[0], scalar(g.build, g.dy[0].dtype(), 0), starts, high, interior)};
}

Types pad_type(const OpUse& use) {
  require_operands(use, 2);
  const Type& x = use.operands[0];
  require_types(use.operands[1] == Type{x.dtype, {}}, [&] {
    return fmt::format("expected a scalar {} to pad with, received {}", name_of(x.dtype),
                       to_string(use.operands[1]));
  });
  const Integers &low = use.attrs.integers("low"), &high = use.attrs.integers("high"),
                 &interior = use.attrs.integers("interior");
  bool fits = low.size() == axes(x.shape) && high.size() == axes(x.shape) &&
              interior.size() == axes(x.shape);
  std::vector<int64_t> extents;
  for (size_t i = 0; fits && i < low.size(); ++i) {
    fits = interior[i] >= 0 && interior[i] < INT64_MAX;
    if (!fits) break;
    int64_t spread = dilated(x.shape[static_cast<int64_t>(i)], interior[i] + 1);
    extents.push_back(length_sum({low[i], high[i], spread}));
    fits = extents.back() >= 0;
  }
  require_types(fits, [&] {
    return fmt::format("{} cannot be padded by [{}], [{}], [{}]", to_string(x), fmt::join(low, ","),
                       fmt::join(high, ","), fmt::join(interior, ","));
  });
  return {{x.dtype, Shape(std::move(extents))}};
}

// The indices i of an axis with 0 <= low + i * step < limit.
std::pair<int64_t, int64_t> inside(int64_t low, int64_t step, int64_t extent, int64_t limit) {
  int64_t first = low >= 0 ? 0 : (-low + step - 1) / step;
  int64_t last = limit - 1 - low < 0 ? -1 : (limit - 1 - low) / step;
  return {std::min(first, extent), std::min(last + 1, extent)};
}

void pad_reference(const Node& node, std::span<const Tensor* const> x, std::span<Tensor> y) {
  size_t size = size_of(y[0].dtype());
  for (int64_t i = 0; i < y[0].elements(); ++i)
    std::memcpy(y[0].data() + static_cast<size_t>(i) * size, x[1]->data(), size);
  std::vector<int64_t> from = x[0]->shape().strides(), to = y[0].shape().strides(), extents;
  int64_t from_offset = 0, to_offset = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    int64_t axis = static_cast<int64_t>(i), low = node.attrs.integers("low")[i];
    int64_t step = node.attrs.integers("interior")[i] + 1;
    auto [first, limit] = inside(low, step, x[0]->shape()[axis], y[0].shape()[axis]);
    extents.push_back(std::max<int64_t>(limit - first, 0));
    from_offset += first * from[i];
    to_offset += (low + first * step) * to[i];
    to[i] *= step;
  }
  copy_elements(*x[0], from_offset, from, y[0], to_offset, to, Shape(std::move(extents)));
}

// dy without its padding, and the sum of the padding's gradient for the padding value.
Exprs pad_gradient(Grad& g) {
  const Integers &low = g.node.attrs.integers("low"), &high = g.node.attrs.integers("high"),
                 &interior = g.node.attrs.integers("interior");
  Integers cut_low, cut_high, none(low.size(), 0), strides;
  for (size_t i = 0; i < low.size(); ++i) {
    cut_low.push_back(-low[i]);
    cut_high.push_back(-high[i]);
    strides.push_back(interior[i] + 1);
  }
  Expr zero = scalar(g.build, g.dy[0].dtype(), 0);
  Expr unpadded = pad(g.dy[0], zero, cut_low, cut_high, none);
  Expr dx = slice(unpadded, none, unpadded.shape().extents(), strides);
  return {dx, sum_all(g.dy[0]) - sum_all(dx)};
}

Types concatenate_type(const OpUse& use) {
  require_types(!use.operands.empty(), "expected at least one operand");
  Type result = use.operands[0];
  int64_t dimension = use.attrs.integer("dimension"), total = 0;
  require_axes({dimension}, result.shape.rank(), "dimension");
  for (const Type& type : use.operands) {
    Type like = type;
    bool fits = type.shape.rank() == result.shape.rank();
    if (fits) like.shape[dimension] = result.shape[dimension];
    require_types(fits && like == result, [&] {
      return fmt::format("{} does not fit to {} along axis {}", to_string(type),
                         to_string(use.operands[0]), dimension);
    });
    total += type.shape[dimension];
  }
  result.shape[dimension] = total;
  return {result};
}

void concatenate_reference(const Node& node, std::span<const Tensor* const> x,
                           std::span<Tensor> y) {
  int64_t dimension = node.attrs.integer("dimension"), start = 0;
  std::vector<int64_t> to = y[0].shape().strides();
  for (const Tensor* part : x) {
    copy_elements(*part, 0, part->shape().strides(), y[0],
                  start * to[static_cast<size_t>(dimension)], to, part->shape());
    start += part->shape()[dimension];
  }
}

Exprs concatenate_gradient(Grad& g) {
  int64_t dimension = g.node.attrs.integer("dimension"), start = 0;
  Exprs gradients;
  for (const Expr& part : g.x) {
    Integers starts(axes(part.shape()), 0), limits = g.dy[0].shape().extents();
    starts[static_cast<size_t>(dimension)] = start;
    start += part.shape()[dimension];
    limits[static_cast<size_t>(dimension)] = start;
    gradients.push_back(slice(g.dy[0], starts, limits, Integers(starts.size(), 1)));
  }
  return gradients;
}

// --- dynamic_slice, dynamic_update_slice ---

void require_starts(const OpUse& use, size_t first, int64_t rank) {
  bool fits = use.operands.size() == first + static_cast<size_t>(rank);
  for (size_t i = first; fits && i < use.operands.size(); ++i)
    fits = use.operands[i].shape.rank() == 0 && is_index(use.operands[i].dtype);
  require_types(fits, "expected one int32 or int64 scalar for each axis");
}

void require_inside(const Shape& sizes, const Shape& shape) {
  bool fits = sizes.rank() == shape.rank();
  for (int64_t i = 0; fits && i < shape.rank(); ++i) fits = sizes[i] >= 0 && sizes[i] <= shape[i];
  require_types(fits, [&] {
    return fmt::format("a slice of shape {} does not lie in {}", to_string(sizes),
                       to_string(shape));
  });
}

Types dynamic_slice_type(const OpUse& use) {
  require_types(!use.operands.empty(), "expected a tensor to slice");
  Shape sizes(use.attrs.integers("sizes"));
  require_inside(sizes, use.operands[0].shape);
  require_starts(use, 1, sizes.rank());
  return {{use.operands[0].dtype, sizes}};
}

Types dynamic_update_slice_type(const OpUse& use) {
  require_types(use.operands.size() >= 2 && use.operands[0].dtype == use.operands[1].dtype,
                "expected a tensor and an update of its element type");
  require_inside(use.operands[1].shape, use.operands[0].shape);
  require_starts(use, 2, use.operands[0].shape.rank());
  return {use.operands[0]};
}

int64_t index_value(const Tensor& scalar) {
  return scalar.dtype() == DType::int32 ? scalar.values<int32_t>()[0] : scalar.values<int64_t>()[0];
}

// The offset of the slice in the whole tensor, moved inside it.
int64_t clamped_offset(std::span<const Tensor* const> starts, const Shape& whole,
                       const Shape& part) {
  int64_t offset = 0;
  std::vector<int64_t> strides = whole.strides();
  for (size_t i = 0; i < starts.size(); ++i) {
    int64_t axis = static_cast<int64_t>(i), highest = whole[axis] - part[axis];
    offset += std::clamp<int64_t>(index_value(*starts[i]), 0, highest) * strides[i];
  }
  return offset;
}

void dynamic_slice_reference(const Node&, std::span<const Tensor* const> x, std::span<Tensor> y) {
  int64_t offset = clamped_offset(x.subspan(1), x[0]->shape(), y[0].shape());
  copy_elements(*x[0], offset, x[0]->shape().strides(), y[0], 0, y[0].shape().strides(),
                y[0].shape());
}

void dynamic_update_slice_reference(const Node&, std::span<const Tensor* const> x,
                                    std::span<Tensor> y) {
  y[0] = *x[0];
  int64_t offset = clamped_offset(x.subspan(2), x[0]->shape(), x[1]->shape());
  copy_elements(*x[1], 0, x[1]->shape().strides(), y[0], offset, y[0].shape().strides(),
                x[1]->shape());
}

Exprs dynamic_slice_gradient(Grad& g) {
  Exprs gradients(g.x.size());
  gradients[0] = dynamic_update_slice(full_like(g.x[0], 0), g.dy[0], g.x.subspan(1));
  return gradients;
}

Exprs dynamic_update_slice_gradient(Grad& g) {
  Exprs gradients(g.x.size());
  std::span<const Expr> starts = g.x.subspan(2);
  gradients[0] = dynamic_update_slice(g.dy[0], full_like(g.x[1], 0), starts);
  gradients[1] = dynamic_slice(g.dy[0], starts, Shape(g.x[1].shape()));
  return gradients;
}

}  // namespace

const OpDef slice_op{.name = "slice",
                     .op_class = OpClass::structural,
                     .attrs = {{{"starts", AttrKind::integers},
                                {"limits", AttrKind::integers},
                                {"strides", AttrKind::integers}}},
                     .infer = slice_type,
                     .reference = slice_reference,
                     .gradient = slice_gradient};
const OpDef pad_op{.name = "pad",
                   .op_class = OpClass::structural,
                   .attrs = {{{"low", AttrKind::integers},
                              {"high", AttrKind::integers},
                              {"interior", AttrKind::integers}}},
                   .infer = pad_type,
                   .reference = pad_reference,
                   .gradient = pad_gradient};
const OpDef concatenate_op{.name = "concatenate",
                           .op_class = OpClass::structural,
                           .attrs = {{{"dimension", AttrKind::integer}}},
                           .infer = concatenate_type,
                           .reference = concatenate_reference,
                           .gradient = concatenate_gradient};
const OpDef dynamic_slice_op{.name = "dynamic_slice",
                             .op_class = OpClass::structural,
                             .attrs = {{{"sizes", AttrKind::integers}}},
                             .infer = dynamic_slice_type,
                             .reference = dynamic_slice_reference,
                             .gradient = dynamic_slice_gradient};
const OpDef dynamic_update_slice_op{.name = "dynamic_update_slice",
                                    .op_class = OpClass::structural,
                                    .infer = dynamic_update_slice_type,
                                    .reference = dynamic_update_slice_reference,
                                    .gradient = dynamic_update_slice_gradient};

Expr concatenate(std::span<const Expr> parts, int64_t dimension) {
  check(!parts.empty(), "something to concatenate");
  return parts[0].builder->add(concatenate_op, parts, {{"dimension", dimension}});
}

Expr dynamic_slice(Expr x, std::span<const Expr> starts, const Shape& sizes) {
  Exprs operands{x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return x.builder->add(dynamic_slice_op, operands, {{"sizes", sizes.extents()}});
}

Expr dynamic_update_slice(Expr x, Expr update, std::span<const Expr> starts) {
  Exprs operands{x, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return x.builder->add(dynamic_update_slice_op, operands);
}

Expr pad(Expr x, Expr value, const Integers& low, const Integers& high, const Integers& interior) {
  return x.builder->add(pad_op, {x, value}, {{"low", low}, {"high", high}, {"interior", interior}});
}

Expr slice(Expr x, const Integers& starts, const Integers& limits, const Integers& strides) {
  return x.builder->add(slice_op, {x},
                        {{"starts", starts}, {"limits", limits}, {"strides", strides}});
}

}  // namespace hornbeam
