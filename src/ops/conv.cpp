// Convolution in the terms of networks, with its gradients to input and kernel: composites that
// expand into the general convolution.
#include <fmt/format.h>

#include "ops/data_format.h"
#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/rules.h"

namespace hornbeam {
namespace {

ConvAttributes conv_attributes(const Attrs& attrs) {
  return {attrs.integers("strides"),  attrs.integers("padding_low"), attrs.integers("padding_high"),
          attrs.integers("dilation"), attrs.integer("groups"),       attrs.text("data_format")};
}

void require_entries(const ConvAttributes& a, size_t spatial) {
  for (const Integers* list : {&a.strides, &a.padding_low, &a.padding_high, &a.dilation})
    require_types(list->size() == spatial, [&] {
      return fmt::format("expected {} entries for {} spatial axes", spatial, spatial);
    });
  for (size_t i = 0; i < spatial; ++i)
    require_types(a.strides[i] > 0 && a.dilation[i] > 0, "expected positive strides and dilation");
}

// The output shape of a convolution of x with a kernel of that shape.
Shape conv_shape(const Shape& x, const Shape& kernel, const ConvAttributes& a) {
  require_data_format(a.data_format, x.rank());
  require_types(kernel.rank() == x.rank(), [&] {
    return fmt::format("expected a kernel of rank {}, received {}", x.rank(), to_string(kernel));
  });
  size_t spatial = static_cast<size_t>(x.rank() - 2);
  require_entries(a, spatial);
  int64_t channels = x[channel_axis(a.data_format, x.rank())];
  int64_t in = kernel[kernel.rank() - 2], filters = kernel[kernel.rank() - 1];
  require_types(a.groups > 0 && channels % a.groups == 0 && in == channels / a.groups &&
                    filters % a.groups == 0,
                [&] {
                  return fmt::format("{} channels in {} groups do not fit a kernel {}", channels,
                                     a.groups, to_string(kernel));
                });
  Shape shape = x;
  shape[channel_axis(a.data_format, x.rank())] = filters;
  for (size_t i = 0; i < spatial; ++i) {
    int64_t axis = first_spatial_axis(a.data_format) + static_cast<int64_t>(i);
    int64_t reach = dilated(kernel[static_cast<int64_t>(i)], a.dilation[i]);
    int64_t padded = length_sum({x[axis], a.padding_low[i], a.padding_high[i]});
    require_types(reach > 0 && padded >= reach, [&] {
      return fmt::format("a window of {} does not fit in {} cells", reach, padded);
    });
    shape[axis] = (padded - reach) / a.strides[i] + 1;
  }
  return shape;
}

void require_floats(const OpUse& use) {
  const Type &a = use.operands[0], &b = use.operands[1];
  require_types(a.dtype == b.dtype && is_floating(a.dtype), [&] {
    return fmt::format("expected floats of one type, received {} and {}", to_string(a),
                       to_string(b));
  });
}

void require_output(const Shape& dy, const Shape& expected) {
  require_types(dy == expected, [&] {
    return fmt::format("expected a gradient of shape {}, received {}", to_string(expected),
                       to_string(dy));
  });
}

// Operands: x, kernel and, if there is one, the bias.
Types conv_type(const OpUse& use) {
  if (use.operands.size() != 3) require_operands(use, 2);
  require_floats(use);
  ConvAttributes a = conv_attributes(use.attrs);
  Type result{use.operands[0].dtype, conv_shape(use.operands[0].shape, use.operands[1].shape, a)};
  Type bias{result.dtype, {result.shape[channel_axis(a.data_format, result.shape.rank())]}};
  require_types(use.operands.size() == 2 || use.operands[2] == bias, [&] {
    return fmt::format("expected a bias {}, received {}", to_string(bias),
                       to_string(use.operands.back()));
  });
  return {result};
}

Types input_gradient_type(const OpUse& use) {
  require_operands(use, 2);
  require_floats(use);
  Shape input(use.attrs.integers("input_shape"));
  require_output(use.operands[0].shape,
                 conv_shape(input, use.operands[1].shape, conv_attributes(use.attrs)));
  return {{use.operands[0].dtype, input}};
}

Types kernel_gradient_type(const OpUse& use) {
  require_operands(use, 2);
  require_floats(use);
  Shape kernel(use.attrs.integers("kernel_shape"));
  require_output(use.operands[1].shape,
                 conv_shape(use.operands[0].shape, kernel, conv_attributes(use.attrs)));
  return {{use.operands[0].dtype, kernel}};
}

// "01" for two spatial axes, between or behind the other two letters.
std::string with_spatial(size_t spatial, std::string_view before, std::string_view after) {
  std::string text(before);
  for (size_t i = 0; i < spatial; ++i) text += static_cast<char>('0' + i);
  return text + std::string(after);
}

std::string picture(const ConvAttributes& a, char batch, char channels) {
  size_t spatial = a.strides.size();
  if (a.data_format == "channels_first")
    return with_spatial(spatial, std::string{batch, channels}, "");
  return with_spatial(spatial, std::string{batch}, std::string{channels});
}

Exprs conv_expand(Builder&, const Node& node, std::span<const Expr> x) {
  ConvAttributes a = conv_attributes(node.attrs);
  Integers ones(a.strides.size(), 1);
  std::string numbers = picture(a, 'b', 'f') + "_" + with_spatial(ones.size(), "", "io") + "->" +
                        picture(a, 'b', 'f');
  Expr y = convolution(
      x[0], x[1],
      {a.strides, a.padding_low, a.padding_high, ones, a.dilation, numbers, a.groups, 1});
  if (x.size() == 2) return {y};
  return {y + broadcast_in_dim(x[2], Shape(y.shape()), {channel_axis(a.data_format, y.rank())})};
}

// (spatial…, in / groups, out) to (spatial…, out / groups, in), reversed along the spatial axes.
Expr turned_kernel(Expr kernel, int64_t groups) {
  int64_t spatial = kernel.rank() - 2;
  Integers axes, order;
  for (int64_t i = 0; i < spatial; ++i) axes.push_back(i);
  std::vector<int64_t> extents = kernel.shape().extents();
  int64_t in = extents[static_cast<size_t>(spatial)], out = extents.back() / groups;
  extents.back() = groups;
  extents.push_back(out);
  order = axes;
  for (int64_t axis : {spatial + 2, spatial + 1, spatial}) order.push_back(axis);
  Expr split = transpose(reshape(reverse(kernel, axes), Shape(extents)), order);
  extents.resize(static_cast<size_t>(spatial));
  extents.push_back(out);
  extents.push_back(groups * in);
  return reshape(split, Shape(extents));
}

// dy, spread out by the strides, convolved with the turned kernel.
Exprs input_gradient_expand(Builder&, const Node& node, std::span<const Expr> x) {
  ConvAttributes a = conv_attributes(node.attrs);
  Expr dy = x[0], kernel = x[1];
  const Integers& input_shape = node.attrs.integers("input_shape");
  size_t first = static_cast<size_t>(first_spatial_axis(a.data_format));
  Integers ones(a.strides.size(), 1), low, high;
  for (size_t i = 0; i < ones.size(); ++i) {
    int64_t reach = (kernel.shape()[static_cast<int64_t>(i)] - 1) * a.dilation[i];
    int64_t spread = (dy.shape()[static_cast<int64_t>(first + i)] - 1) * a.strides[i] + 1;
    low.push_back(reach - a.padding_low[i]);
    high.push_back(input_shape[first + i] - spread + a.padding_low[i]);
  }
  std::string numbers = picture(a, 'b', 'f') + "_" + with_spatial(ones.size(), "", "io") + "->" +
                        picture(a, 'b', 'f');
  return {convolution(dy, turned_kernel(kernel, a.groups),
                      {ones, low, high, a.strides, a.dilation, numbers, a.groups, 1})};
}

// x convolved with dy as the window: channels take the part of the batch, the batch that of
// channels.
Exprs kernel_gradient_expand(Builder&, const Node& node, std::span<const Expr> x) {
  ConvAttributes a = conv_attributes(node.attrs);
  const Integers& kernel_shape = node.attrs.integers("kernel_shape");
  int64_t first = first_spatial_axis(a.data_format);
  Integers ones(a.strides.size(), 1), high;
  for (size_t i = 0; i < ones.size(); ++i) {
    int64_t axis = first + static_cast<int64_t>(i);
    int64_t window = (x[1].shape()[axis] - 1) * a.strides[i] + 1;
    high.push_back((kernel_shape[i] - 1) * a.dilation[i] + window - x[0].shape()[axis] -
                   a.padding_low[i]);
  }
  std::string numbers = picture(a, 'f', 'b') + "_" + picture(a, 'i', 'o') + "->" +
                        with_spatial(ones.size(), "", "bf");
  return {convolution(x[0], x[1],
                      {a.dilation, a.padding_low, high, ones, a.strides, numbers, 1, a.groups})};
}

// In the order in which memory is freed: the sum while dy is being made, the kernel's gradient
// while x is there, and then the gradient to x, which is as large.
Exprs conv_gradient(Grad& g) {
  ConvAttributes a = conv_attributes(g.node.attrs);
  Expr x = g.x[0], kernel = g.x[1], dy = g.dy[0];
  Exprs bias;
  if (g.x.size() == 3)
    bias = {sum(dy, axes_but(channel_axis(a.data_format, dy.rank()), dy.rank()))};
  Expr kernel_gradient = conv_kernel_gradient(x, dy, a, Shape(kernel.shape()));
  Exprs gradients{conv_input_gradient(dy, kernel, a, Shape(x.shape())), kernel_gradient};
  gradients.insert(gradients.end(), bias.begin(), bias.end());
  return gradients;
}

std::vector<Attr> attr_list(const ConvAttributes& a) {
  return {
      {"strides", a.strides},   {"padding_low", a.padding_low}, {"padding_high", a.padding_high},
      {"dilation", a.dilation}, {"groups", a.groups},           {"data_format", a.data_format}};
}

Attrs with_shape(const ConvAttributes& a, std::string_view name, const Shape& shape) {
  std::vector<Attr> attrs = attr_list(a);
  attrs.push_back({name, shape.extents()});
  return Attrs(std::move(attrs));
}

}  // namespace

const OpDef conv_op{.name = "conv",
                    .attrs = {{{"strides", AttrKind::integers},
                               {"padding_low", AttrKind::integers},
                               {"padding_high", AttrKind::integers},
                               {"dilation", AttrKind::integers},
                               {"groups", AttrKind::integer},
                               {"data_format", AttrKind::text}}},
                    .infer = conv_type,
                    .expand = conv_expand,
                    .gradient = conv_gradient};
const OpDef conv_input_gradient_op{.name = "conv_input_gradient",
                                   .attrs = {{{"strides", AttrKind::integers},
                                              {"padding_low", AttrKind::integers},
                                              {"padding_high", AttrKind::integers},
                                              {"dilation", AttrKind::integers},
                                              {"groups", AttrKind::integer},
                                              {"data_format", AttrKind::text},
                                              {"input_shape", AttrKind::integers}}},
                                   .infer = input_gradient_type,
                                   .expand = input_gradient_expand};
const OpDef conv_kernel_gradient_op{.name = "conv_kernel_gradient",
                                    .attrs = {{{"strides", AttrKind::integers},
                                               {"padding_low", AttrKind::integers},
                                               {"padding_high", AttrKind::integers},
                                               {"dilation", AttrKind::integers},
                                               {"groups", AttrKind::integer},
                                               {"data_format", AttrKind::text},
                                               {"kernel_shape", AttrKind::integers}}},
                                    .infer = kernel_gradient_type,
                                    .expand = kernel_gradient_expand};

Expr conv(Expr x, Expr kernel, const ConvAttributes& a, Expr bias) {
  Exprs operands{x, kernel};
  if (bias) operands.push_back(bias);
  return x.builder->add(conv_op, operands, Attrs(attr_list(a)));
}

Expr conv_input_gradient(Expr dy, Expr kernel, const ConvAttributes& a, const Shape& input_shape) {
  return dy.builder->add(conv_input_gradient_op, {dy, kernel},
                         with_shape(a, "input_shape", input_shape));
}

Expr conv_kernel_gradient(Expr x, Expr dy, const ConvAttributes& a, const Shape& kernel_shape) {
  return x.builder->add(conv_kernel_gradient_op, {x, dy},
                        with_shape(a, "kernel_shape", kernel_shape));
}

}  // namespace hornbeam
