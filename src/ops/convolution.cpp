// The general convolution of StableHLO.
#include <fmt/format.h>

#include <algorithm>

#include "ops/ops.h"
#include "ops/reference.h"
#include "ops/rules.h"

namespace hornbeam {
namespace {

// The axes of one tensor of a convolution, from a text such as "b01f".
struct Axes {
  int64_t first = -1, second = -1;  // batch and feature, or input and output feature of a kernel
  Integers spatial;
};

struct Layout {
  Axes lhs, rhs, out;
};

Axes axes_of(std::string_view text, char first, char second) {
  Axes axes;
  axes.spatial.assign(text.size() < 2 ? 0 : text.size() - 2, -1);
  for (size_t i = 0; i < text.size(); ++i) {
    int64_t axis = static_cast<int64_t>(i);
    size_t number = static_cast<size_t>(text[i] - '0');
    if (text[i] == first)
      axes.first = axis;
    else if (text[i] == second)
      axes.second = axis;
    else if (text[i] >= '0' && number < axes.spatial.size())
      axes.spatial[number] = axis;
  }
  bool complete = axes.first >= 0 && axes.second >= 0 && !std::ranges::count(axes.spatial, -1);
  require_types(complete, [&] {
    return fmt::format("expected the axes {}{} and the spatial ones, received '{}'", first, second,
                       text);
  });
  return axes;
}

Layout layout_of(const Attrs& attrs) {
  std::string_view text = attrs.text("dimension_numbers");
  size_t comma = text.find('_'), arrow = text.find("->");
  require_types(comma != text.npos && arrow != text.npos && comma < arrow, [&] {
    return fmt::format("expected dimension numbers as b01f_01io->b01f, received '{}'", text);
  });
  return {axes_of(text.substr(0, comma), 'b', 'f'),
          axes_of(text.substr(comma + 1, arrow - comma - 1), 'i', 'o'),
          axes_of(text.substr(arrow + 2), 'b', 'f')};
}

void require_lists(const OpUse& use, size_t spatial) {
  for (const char* name :
       {"window_strides", "padding_low", "padding_high", "lhs_dilation", "rhs_dilation"})
    require_types(use.attrs.integers(name).size() == spatial,
                  [&] { return fmt::format("expected {} entries in {}", spatial, name); });
  for (const char* name : {"window_strides", "lhs_dilation", "rhs_dilation"})
    for (int64_t value : use.attrs.integers(name))
      require_types(value > 0, [&] { return fmt::format("expected positive {}", name); });
}

void require_groups(const OpUse& use, const Layout& layout) {
  const Shape &x = use.operands[0].shape, &kernel = use.operands[1].shape;
  int64_t features = use.attrs.integer("feature_group_count");
  int64_t batches = use.attrs.integer("batch_group_count");
  require_types(features > 0 && batches > 0 && (features == 1 || batches == 1),
                "expected positive group counts of which one is 1");
  int64_t in = x[layout.lhs.second], out = kernel[layout.rhs.second];
  require_types(in % features == 0 && kernel[layout.rhs.first] == in / features &&
                    out % features == 0 && x[layout.lhs.first] % batches == 0 && out % batches == 0,
                [&] {
                  return fmt::format(
                      "{} channels in {} groups do not fit a kernel of {} to {} channels", in,
                      features, kernel[layout.rhs.first], out);
                });
}

Types convolution_type(const OpUse& use) {
  require_operands(use, 2);
  const Type &x = use.operands[0], &kernel = use.operands[1];
  require_types(x.dtype == kernel.dtype && is_floating(x.dtype) &&
                    x.shape.rank() == kernel.shape.rank() && x.shape.rank() >= 2,
                [&] {
                  return fmt::format("expected floats of one rank, received {} and {}",
                                     to_string(x), to_string(kernel));
                });
  Layout layout = layout_of(use.attrs);
  size_t spatial = static_cast<size_t>(x.shape.rank() - 2);
  require_types(layout.lhs.spatial.size() == spatial && layout.rhs.spatial.size() == spatial &&
                    layout.out.spatial.size() == spatial,
                "expected dimension numbers of the operands' rank");
  require_lists(use, spatial);
  require_groups(use, layout);
  Shape shape = x.shape;
  shape[layout.out.first] = x.shape[layout.lhs.first] / use.attrs.integer("batch_group_count");
  shape[layout.out.second] = kernel.shape[layout.rhs.second];
  for (size_t i = 0; i < spatial; ++i) {
    int64_t padded =
        length_sum({dilated(x.shape[layout.lhs.spatial[i]], use.attrs.integers("lhs_dilation")[i]),
                    use.attrs.integers("padding_low")[i], use.attrs.integers("padding_high")[i]});
    int64_t window =
        dilated(kernel.shape[layout.rhs.spatial[i]], use.attrs.integers("rhs_dilation")[i]);
    int64_t steps =
        padded < window ? 0 : (padded - window) / use.attrs.integers("window_strides")[i] + 1;
    shape[layout.out.spatial[i]] = steps;
  }
  return {{x.dtype, shape}};
}

// Strides of the two named axes of a tensor and of its spatial axes.
struct Strides {
  int64_t first, second;
  std::vector<int64_t> spatial;

  Strides(const Shape& shape, const Axes& axes)
      : first(strides_along(shape, {axes.first})[0]),
        second(strides_along(shape, {axes.second})[0]),
        spatial(strides_along(shape, axes.spatial)) {}
};

// One convolution as plain loops: for every place the elements of its window, then for every batch
// item and filter the sum over them and over the channels of the filter's group, in double.
template <class T>
class Convolution {
 public:
  Convolution(const Node& node, const Tensor& x, const Tensor& kernel, Tensor& y)
      : attrs_(node.attrs),
        layout_(layout_of(node.attrs)),
        x_(x),
        kernel_(kernel),
        y_(y),
        in_(x.shape(), layout_.lhs),
        weight_(kernel.shape(), layout_.rhs),
        out_(y.shape(), layout_.out) {}

  void run() {
    Shape places = along(y_.shape(), layout_.out.spatial);
    Walk place(places, {out_.spatial});
    for (int64_t count = places.elements(); count > 0; --count, place.next()) {
      find_window(place.index());
      for (int64_t item = 0; item < y_.shape()[layout_.out.first]; ++item)
        fill(item, place.offset(0) + item * out_.first);
    }
  }

 private:
  // An element of the window that lies on a real cell: where it is in a picture and in the kernel.
  struct Element {
    int64_t in, weight;
  };

  static Shape along(const Shape& shape, const Integers& axes) {
    std::vector<int64_t> extents;
    for (int64_t axis : axes) extents.push_back(shape[axis]);
    return Shape(std::move(extents));
  }

  void find_window(const std::vector<int64_t>& place) {
    window_.clear();
    Shape window = along(kernel_.shape(), layout_.rhs.spatial);
    Walk element(window, {weight_.spatial});
    for (int64_t count = window.elements(); count > 0; --count, element.next())
      if (int64_t in = input_offset(place, element.index()); in >= 0)
        window_.push_back({in, element.offset(0)});
  }

  // -1 where there is padding or a gap of the dilation.
  int64_t input_offset(const std::vector<int64_t>& place, const std::vector<int64_t>& element) {
    int64_t offset = 0;
    for (size_t i = 0; i < place.size(); ++i) {
      int64_t base = attrs_.integers("lhs_dilation")[i];
      int64_t at = place[i] * attrs_.integers("window_strides")[i] +
                   element[i] * attrs_.integers("rhs_dilation")[i] -
                   attrs_.integers("padding_low")[i];
      if (at < 0 || at % base != 0 || at / base >= x_.shape()[layout_.lhs.spatial[i]]) return -1;
      offset += at / base * in_.spatial[i];
    }
    return offset;
  }

  void fill(int64_t item, int64_t target) {
    int64_t filters = kernel_.shape()[layout_.rhs.second];
    int64_t channels = kernel_.shape()[layout_.rhs.first];
    int64_t feature_groups = attrs_.integer("feature_group_count");
    int64_t batch_groups = attrs_.integer("batch_group_count");
    for (int64_t filter = 0; filter < filters; ++filter) {
      int64_t group = filter / (filters / feature_groups);
      int64_t batch_group = filter / (filters / batch_groups);
      int64_t batch = batch_group * y_.shape()[layout_.out.first] + item;
      int64_t from = batch * in_.first + group * channels * in_.second;
      double total = sum(from, filter * weight_.second, channels);
      y_.template values<T>()[static_cast<size_t>(target + filter * out_.second)] =
          narrow<T>(static_cast<Wide<T>>(total));
    }
  }

  double sum(int64_t from, int64_t filter, int64_t channels) const {
    const T* x = x_.template values<T>().data() + from;
    const T* weights = kernel_.template values<T>().data() + filter;
    double total = 0;
    for (Element element : window_)
      for (int64_t channel = 0; channel < channels; ++channel)
        total += static_cast<double>(widen(x[element.in + channel * in_.second])) *
                 static_cast<double>(widen(weights[element.weight + channel * weight_.first]));
    return total;
  }

  const Attrs& attrs_;
  Layout layout_;
  const Tensor &x_, &kernel_;
  Tensor& y_;
  Strides in_, weight_, out_;
  std::vector<Element> window_;
};

void convolution_reference(const Node& node, std::span<const Tensor* const> x,
                           std::span<Tensor> y) {
  visit(x[0]->dtype(), [&]<class T>() {
    if constexpr (is_float_type<T>) Convolution<T>(node, *x[0], *x[1], y[0]).run();
  });
}

}  // namespace

const OpDef convolution_op{.name = "convolution",
                           .attrs = {{{"window_strides", AttrKind::integers},
                                      {"padding_low", AttrKind::integers},
                                      {"padding_high", AttrKind::integers},
                                      {"lhs_dilation", AttrKind::integers},
                                      {"rhs_dilation", AttrKind::integers},
                                      {"dimension_numbers", AttrKind::text},
                                      {"feature_group_count", AttrKind::integer},
                                      {"batch_group_count", AttrKind::integer}}},
                           .infer = convolution_type,
                           .reference = convolution_reference};

Expr convolution(Expr lhs, Expr rhs, const ConvolutionAttributes& a) {
  return lhs.builder->add(convolution_op, {lhs, rhs},
                          {{"window_strides", a.window_strides},
                           {"padding_low", a.padding_low},
                           {"padding_high", a.padding_high},
                           {"lhs_dilation", a.lhs_dilation},
                           {"rhs_dilation", a.rhs_dilation},
                           {"dimension_numbers", a.dimension_numbers},
                           {"feature_group_count", a.feature_group_count},
                           {"batch_group_count", a.batch_group_count}});
}

}  // namespace hornbeam
