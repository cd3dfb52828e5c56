// Reductions over windows, and their scattering counterpart.
#include <fmt/format.h>

#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/reduction_kind.h"
#include "ops/reference.h"
#include "ops/window_gradient.h"

namespace hornbeam {
namespace {

struct WindowAttrs {
  const Integers &dimensions, &strides, &low, &high;
};

WindowAttrs window_of(const Attrs& attrs) {
  return {attrs.integers("window_dimensions"), attrs.integers("window_strides"),
          attrs.integers("padding_low"), attrs.integers("padding_high")};
}

Shape window_shape(const Shape& shape, const WindowAttrs& w, const Integers& base_dilations,
                   const Integers& window_dilations) {
  size_t rank = static_cast<size_t>(shape.rank());
  bool fits = true;
  for (const Integers* list :
       {&w.dimensions, &w.strides, &w.low, &w.high, &base_dilations, &window_dilations})
    fits &= list->size() == rank;
  require_types(fits,
                [&] { return "expected one window entry for each axis of " + to_string(shape); });
  std::vector<int64_t> extents;
  for (size_t i = 0; i < rank; ++i) {
    require_types(
        w.dimensions[i] > 0 && w.strides[i] > 0 && base_dilations[i] > 0 && window_dilations[i] > 0,
        "expected positive window extents, strides and dilations");
    int64_t padded = length_sum(
        {dilated(shape[static_cast<int64_t>(i)], base_dilations[i]), w.low[i], w.high[i]});
    int64_t window = dilated(w.dimensions[i], window_dilations[i]);
    extents.push_back(padded < window ? 0 : (padded - window) / w.strides[i] + 1);
  }
  return Shape(std::move(extents));
}

Types reduce_window_type(const OpUse& use) {
  require_operands(use, 1);
  const Type& x = use.operands[0];
  const std::string& kind = use.attrs.text("kind");
  require_types(
      is_floating(x.dtype) && (kind == "add" || kind == "maximum" || kind == "minimum"), [&] {
        return fmt::format("expected floats and a kind add, maximum or minimum, received {}, '{}'",
                           to_string(x), kind);
      });
  return {
      {x.dtype, window_shape(x.shape, window_of(use.attrs), use.attrs.integers("base_dilations"),
                             use.attrs.integers("window_dilations"))}};
}

// Calls visit(offset into x) for the real elements of the window at `position`, in window order.
template <class Visit>
void each_in_window(const Shape& shape, const std::vector<int64_t>& strides, const WindowAttrs& w,
                    const Integers& base, const Integers& dilation,
                    const std::vector<int64_t>& position, Visit visit_element) {
  Walk walk{Shape(w.dimensions), {}};
  for (int64_t count = Shape(w.dimensions).elements(); count > 0; --count, walk.next()) {
    int64_t offset = 0;
    bool real = true;
    for (size_t i = 0; real && i < position.size(); ++i) {
      int64_t place = position[i] * w.strides[i] + walk.index()[i] * dilation[i] - w.low[i];
      real = place >= 0 && place % base[i] == 0 && place / base[i] < shape[static_cast<int64_t>(i)];
      offset += place / base[i] * strides[i];
    }
    if (real) visit_element(offset);
  }
}

template <class T>
void reduce_window_values(const Node& node, const Tensor& x, Tensor& y) {
  const std::string& kind = node.attrs.text("kind");
  std::vector<int64_t> strides = x.shape().strides();
  auto combine = combination<double>(kind);
  Walk position(y.shape(), {});
  for (T& result : y.values<T>()) {
    double total = initial_value<double>(kind);
    each_in_window(x.shape(), strides, window_of(node.attrs), node.attrs.integers("base_dilations"),
                   node.attrs.integers("window_dilations"), position.index(), [&](int64_t offset) {
                     total = combine(total, static_cast<double>(
                                                widen(x.values<T>()[static_cast<size_t>(offset)])));
                   });
    result = narrow<T>(static_cast<Wide<T>>(total));
    position.next();
  }
}

void reduce_window_reference(const Node& node, std::span<const Tensor* const> x,
                             std::span<Tensor> y) {
  visit(x[0]->dtype(), [&]<class T>() {
    if constexpr (is_float_type<T>) reduce_window_values<T>(node, *x[0], y[0]);
  });
}

Exprs reduce_window_gradient(Grad& g) {
  WindowAttrs w = window_of(g.node.attrs);
  if (g.node.attrs.text("kind") != "add")
    throw Error("H703", {.message = "only window sums have a gradient; use max_pool"});
  Window window{w.dimensions, w.strides, w.low, w.high};
  return {window_sum_gradient(g.dy[0], window, g.node.attrs.integers("base_dilations"),
                              g.node.attrs.integers("window_dilations"), Shape(g.x[0].shape()))};
}

Types select_and_scatter_type(const OpUse& use) {
  require_operands(use, 2);
  const Type &x = use.operands[0], &source = use.operands[1];
  Integers ones(static_cast<size_t>(x.shape.rank()), 1);
  Type expected{x.dtype, window_shape(x.shape, window_of(use.attrs), ones, ones)};
  require_types(is_floating(x.dtype) && source == expected, [&] {
    return fmt::format("expected floats with a source {}, received {} and {}", to_string(expected),
                       to_string(x), to_string(source));
  });
  return {x};
}

template <class T>
void select_and_scatter_values(const Node& node, const Tensor& x, const Tensor& source, Tensor& y) {
  std::vector<int64_t> strides = x.shape().strides();
  Integers ones(strides.size(), 1);
  std::vector<double> totals(x.values<T>().size());
  Walk position(source.shape(), {});
  for (T value : source.values<T>()) {
    int64_t best = -1;
    each_in_window(x.shape(), strides, window_of(node.attrs), ones, ones, position.index(),
                   [&](int64_t offset) {
                     auto at = [&](int64_t i) {
                       return widen(x.values<T>()[static_cast<size_t>(i)]);
                     };
                     if (best < 0 || at(offset) > at(best)) best = offset;
                   });
    if (best >= 0) totals[static_cast<size_t>(best)] += static_cast<double>(widen(value));
    position.next();
  }
  for (size_t i = 0; i < totals.size(); ++i)
    y.values<T>()[i] = narrow<T>(static_cast<Wide<T>>(totals[i]));
}

void select_and_scatter_reference(const Node& node, std::span<const Tensor* const> x,
                                  std::span<Tensor> y) {
  visit(x[0]->dtype(), [&]<class T>() {
    if constexpr (is_float_type<T>) select_and_scatter_values<T>(node, *x[0], *x[1], y[0]);
  });
}

}  // namespace

Expr window_sum_gradient(Expr dy, const Window& window, const Integers& base_dilations,
                         const Integers& window_dilations, const Shape& input_shape) {
  Window back;
  for (size_t i = 0; i < window.dimensions.size(); ++i) {
    int64_t axis = static_cast<int64_t>(i);
    int64_t reach = (window.dimensions[i] - 1) * window_dilations[i];
    int64_t spread = dilated(dy.shape()[axis], window.strides[i]);
    back.dimensions.push_back(window.dimensions[i]);
    back.strides.push_back(base_dilations[i]);
    back.padding_low.push_back(reach - window.padding_low[i]);
    back.padding_high.push_back(dilated(input_shape[axis], base_dilations[i]) - spread +
                                window.padding_low[i]);
  }
  return reduce_window(dy, "add", back, window.strides, window_dilations);
}

const OpDef reduce_window_op{.name = "reduce_window",
                             .attrs = {{{"kind", AttrKind::text},
                                        {"window_dimensions", AttrKind::integers},
                                        {"window_strides", AttrKind::integers},
                                        {"padding_low", AttrKind::integers},
                                        {"padding_high", AttrKind::integers},
                                        {"base_dilations", AttrKind::integers},
                                        {"window_dilations", AttrKind::integers}}},
                             .infer = reduce_window_type,
                             .reference = reduce_window_reference,
                             .gradient = reduce_window_gradient};
const OpDef select_and_scatter_op{.name = "select_and_scatter",
                                  .attrs = {{{"window_dimensions", AttrKind::integers},
                                             {"window_strides", AttrKind::integers},
                                             {"padding_low", AttrKind::integers},
                                             {"padding_high", AttrKind::integers}}},
                                  .infer = select_and_scatter_type,
                                  .reference = select_and_scatter_reference};

Expr reduce_window(Expr x, std::string_view kind, const Window& window,
                   const Integers& base_dilations, const Integers& window_dilations) {
  return x.builder->add(reduce_window_op, {x},
                        {{"kind", std::string(kind)},
                         {"window_dimensions", window.dimensions},
                         {"window_strides", window.strides},
                         {"padding_low", window.padding_low},
                         {"padding_high", window.padding_high},
                         {"base_dilations", base_dilations},
                         {"window_dilations", window_dilations}});
}

Expr select_and_scatter(Expr operand, Expr source, const Window& window) {
  return operand.builder->add(select_and_scatter_op, {operand, source},
                              {{"window_dimensions", window.dimensions},
                               {"window_strides", window.strides},
                               {"padding_low", window.padding_low},
                               {"padding_high", window.padding_high}});
}

}  // namespace hornbeam
