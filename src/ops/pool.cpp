// Max and average pooling: composites that expand into windows.
#include <fmt/format.h>

#include "ops/data_format.h"
#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/rules.h"
#include "ops/window_gradient.h"

namespace hornbeam {
namespace {

PoolAttributes pool_attributes(const Attrs& attrs) {
  return {attrs.integers("window"), attrs.integers("strides"), attrs.integers("padding_low"),
          attrs.integers("padding_high"), attrs.text("data_format")};
}

Shape pool_shape(const Shape& x, const PoolAttributes& a) {
  require_data_format(a.data_format, x.rank());
  Shape shape = x;
  for (const Integers* list : {&a.window, &a.strides, &a.padding_low, &a.padding_high})
    require_types(static_cast<int64_t>(list->size()) == x.rank() - 2, [&] {
      return fmt::format("expected {} entries for the spatial axes of {}", x.rank() - 2,
                         to_string(x));
    });
  for (size_t i = 0; i < a.window.size(); ++i) {
    int64_t axis = first_spatial_axis(a.data_format) + static_cast<int64_t>(i);
    int64_t padded = length_sum({x[axis], a.padding_low[i], a.padding_high[i]});
    require_types(a.window[i] > 0 && a.strides[i] > 0 && padded >= a.window[i], [&] {
      return fmt::format("a window of {} with stride {} does not fit in {} cells", a.window[i],
                         a.strides[i], padded);
    });
    require_types(a.padding_low[i] >= 0 && a.padding_low[i] < a.window[i] &&
                      a.padding_high[i] >= 0 && a.padding_high[i] < a.window[i],
                  "expected less padding than the window is wide");
    shape[axis] = (padded - a.window[i]) / a.strides[i] + 1;
  }
  return shape;
}

void require_floats(const Type& x) {
  require_types(is_floating(x.dtype), [&] { return "expected floats, received " + to_string(x); });
}

void require_same(const Type& dy, const Type& expected) {
  require_types(dy == expected, [&] {
    return fmt::format("expected a gradient {}, received {}", to_string(expected), to_string(dy));
  });
}

Types pool_type(const OpUse& use) {
  require_operands(use, 1);
  require_floats(use.operands[0]);
  return {{use.operands[0].dtype, pool_shape(use.operands[0].shape, pool_attributes(use.attrs))}};
}

Types max_pool_gradient_type(const OpUse& use) {
  require_operands(use, 2);
  const Type& x = use.operands[0];
  require_floats(x);
  require_same(use.operands[1], {x.dtype, pool_shape(x.shape, pool_attributes(use.attrs))});
  return {x};
}

Types average_pool_gradient_type(const OpUse& use) {
  require_operands(use, 1);
  const Type& dy = use.operands[0];
  require_floats(dy);
  Shape input(use.attrs.integers("input_shape"));
  require_same(dy, {dy.dtype, pool_shape(input, pool_attributes(use.attrs))});
  return {{dy.dtype, input}};
}

Window window_of(const PoolAttributes& a) {
  return {per_axis(a.window, 1, a.data_format), per_axis(a.strides, 1, a.data_format),
          per_axis(a.padding_low, 0, a.data_format), per_axis(a.padding_high, 0, a.data_format)};
}

Expr window_sum(Expr x, const PoolAttributes& a) {
  Integers ones(static_cast<size_t>(x.rank()), 1);
  return reduce_window(x, "add", window_of(a), ones, ones);
}

// How many real cells each window holds; one value a place, the same for every sample and channel.
Expr window_counts(Builder& build, DType dtype, const Shape& input, const PoolAttributes& a) {
  Shape one_picture = input;
  one_picture[0] = 1;
  one_picture[channel_axis(a.data_format, input.rank())] = 1;
  return window_sum(full(build, {dtype, one_picture}, 1), a);
}

std::vector<Attr> attr_list(const PoolAttributes& a) {
  return {{"window", a.window},
          {"strides", a.strides},
          {"padding_low", a.padding_low},
          {"padding_high", a.padding_high},
          {"data_format", a.data_format}};
}

Exprs max_pool_expand(Builder&, const Node& node, std::span<const Expr> x) {
  Integers ones(static_cast<size_t>(x[0].rank()), 1);
  return {reduce_window(x[0], "maximum", window_of(pool_attributes(node.attrs)), ones, ones)};
}

Exprs max_pool_gradient_expand(Builder&, const Node& node, std::span<const Expr> x) {
  return {select_and_scatter(x[0], x[1], window_of(pool_attributes(node.attrs)))};
}

Exprs average_pool_expand(Builder& build, const Node& node, std::span<const Expr> x) {
  PoolAttributes a = pool_attributes(node.attrs);
  return {window_sum(x[0], a) / window_counts(build, x[0].dtype(), Shape(x[0].shape()), a)};
}

Exprs average_pool_gradient_expand(Builder& build, const Node& node, std::span<const Expr> x) {
  PoolAttributes a = pool_attributes(node.attrs);
  Shape input(node.attrs.integers("input_shape"));
  Integers ones(static_cast<size_t>(input.rank()), 1);
  Expr share = x[0] / window_counts(build, x[0].dtype(), input, a);
  return {window_sum_gradient(share, window_of(a), ones, ones, input)};
}

}  // namespace

const OpDef max_pool_op{
    .name = "max_pool",
    .attrs = {{{"window", AttrKind::integers},
               {"strides", AttrKind::integers},
               {"padding_low", AttrKind::integers},
               {"padding_high", AttrKind::integers},
               {"data_format", AttrKind::text}}},
    .infer = pool_type,
    .expand = max_pool_expand,
    .gradient = [](Grad& g) {
      return Exprs{max_pool_gradient(g.x[0], g.dy[0], pool_attributes(g.node.attrs))};
    }};
const OpDef max_pool_gradient_op{.name = "max_pool_gradient",
                                 .attrs = max_pool_op.attrs,
                                 .infer = max_pool_gradient_type,
                                 .expand = max_pool_gradient_expand};
const OpDef average_pool_op{.name = "average_pool",
                            .attrs = max_pool_op.attrs,
                            .infer = pool_type,
                            .expand = average_pool_expand,
                            .gradient = [](Grad& g) {
                              return Exprs{average_pool_gradient(
                                  g.dy[0], pool_attributes(g.node.attrs), Shape(g.x[0].shape()))};
                            }};
const OpDef average_pool_gradient_op{.name = "average_pool_gradient",
                                     .attrs = {{{"window", AttrKind::integers},
                                                {"strides", AttrKind::integers},
                                                {"padding_low", AttrKind::integers},
                                                {"padding_high", AttrKind::integers},
                                                {"data_format", AttrKind::text},
                                                {"input_shape", AttrKind::integers}}},
                                     .infer = average_pool_gradient_type,
                                     .expand = average_pool_gradient_expand};

Expr max_pool(Expr x, const PoolAttributes& a) {
  return x.builder->add(max_pool_op, {x}, Attrs(attr_list(a)));
}

Expr max_pool_gradient(Expr x, Expr dy, const PoolAttributes& a) {
  return x.builder->add(max_pool_gradient_op, {x, dy}, Attrs(attr_list(a)));
}

Expr average_pool(Expr x, const PoolAttributes& a) {
  return x.builder->add(average_pool_op, {x}, Attrs(attr_list(a)));
}

Expr average_pool_gradient(Expr dy, const PoolAttributes& a, const Shape& input_shape) {
  std::vector<Attr> attrs = attr_list(a);
  attrs.push_back({"input_shape", input_shape.extents()});
  return dy.builder->add(average_pool_gradient_op, {dy}, Attrs(std::move(attrs)));
}

}  // namespace hornbeam
