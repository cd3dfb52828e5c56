#include "nn/layers/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "nn/layers/fields.h"
#include "ops/data_format.h"
#include "ops/padding.h"

namespace hornbeam {
namespace {

struct Padding {
  Integers low, high;
};

// What 'same' or 'valid' means for the spatial axes of x.
Padding padding_of(const std::string& padding, const std::string& data_format, const Shape& x,
                   const Integers& window, const Integers& strides, const Integers& dilation) {
  Padding result{Integers(window.size(), 0), Integers(window.size(), 0)};
  if (padding == "valid") return result;
  for (size_t i = 0; i < window.size(); ++i) {
    int64_t extent = x[first_spatial_axis(data_format) + static_cast<int64_t>(i)];
    std::tie(result.low[i], result.high[i]) =
        same_padding(extent, window[i], strides[i], dilation[i]);
  }
  return result;
}

void require_picture(Expr x) {
  if (x.rank() != 4)
    refuse_shape(fmt::format("expected an input of rank 4 with the batch, received {}",
                             to_string(x.shape())));
}

}  // namespace

// --- Conv2D ---

void Conv2D::fields(Fields& f) {
  common_fields(f);
  f("filters", filters);
  f("kernel_size", kernel_size, 2);
  f("strides", strides, 2);
  padding_field(f, padding);
  data_format_field(f, data_format);
  f("dilation_rate", dilation_rate, 2);
  f("groups", groups);
  kernel_fields(f);
  f.fixed("activity_regularizer", nullptr);
  require_positive(f, "filters", filters);
  require_positive(f, "groups", groups);
  if (f.reading() && kernel_size.size() != 2) f.refuse("kernel_size", "it is missing");
  for (const auto* list : {&kernel_size, &strides, &dilation_rate})
    for (int64_t value : *list) require_positive(f, "kernel_size, strides, dilation_rate", value);
  if (std::ranges::max(strides) > 1 && std::ranges::max(dilation_rate) > 1)
    f.refuse("strides", "strides above 1 cannot be combined with dilation_rate above 1");
}

void Conv2D::build(std::span<const Shape> inputs) {
  require_rank(inputs, 4);
  int64_t channels = inputs[0][channel_axis(data_format, 4)];
  if (channels % groups != 0 || filters % groups != 0)
    refuse_shape(fmt::format("{} channels and {} filters are not divisible into {} groups",
                             channels, filters, groups));
  declare_kernel({kernel_size[0], kernel_size[1], channels / groups, filters}, filters);
}

Exprs Conv2D::call(Trace& trace, std::span<const Expr> inputs) {
  require_picture(inputs[0]);
  Padding cells =
      padding_of(padding, data_format, inputs[0].shape(), kernel_size, strides, dilation_rate);
  Expr bias = use_bias ? trace.weight(own("bias")) : Expr{};
  return {
      activation(conv(inputs[0], trace.weight(own("kernel")),
                      {strides, cells.low, cells.high, dilation_rate, groups, data_format}, bias))};
}

// --- pooling ---

void Pooling2D::fields(Fields& f) {
  common_fields(f);
  f("pool_size", pool_size, 2);
  auto read = [&](const Json& json) {
    strides.clear();
    if (json.is_array())
      for (const Json& item : json.as_array()) strides.push_back(item.as_integer());
    else if (!json.is_null())
      strides.assign(2, json.as_integer());
  };
  f.custom("strides", read, [&] {
    const std::vector<int64_t>& shown = strides.empty() ? pool_size : strides;
    return Json(Json::Array{shown[0], shown[1]});
  });
  padding_field(f, padding);
  data_format_field(f, data_format);
  if (!strides.empty() && strides.size() != 2) f.refuse("strides", "expected 2 numbers");
  for (const auto* list : {&pool_size, &strides})
    for (int64_t value : *list) require_positive(f, "pool_size, strides", value);
}

Exprs Pooling2D::call(Trace&, std::span<const Expr> inputs) {
  require_picture(inputs[0]);
  const std::vector<int64_t>& steps = strides.empty() ? pool_size : strides;
  Padding cells =
      padding_of(padding, data_format, inputs[0].shape(), pool_size, steps, Integers{1, 1});
  PoolAttributes attributes{pool_size, steps, cells.low, cells.high, data_format};
  return {maximum ? max_pool(inputs[0], attributes) : average_pool(inputs[0], attributes)};
}

namespace {

// As in Keras, a mean of 16-bit numbers is rounded at its end only.
Expr mean_rounded_once(Expr x, const Integers& axes) {
  DType wide = x.dtype() == DType::bfloat16 ? DType::float32 : x.dtype();
  return convert(mean(convert(x, wide), axes), x.dtype());
}

}  // namespace

void GlobalPooling2D::fields(Fields& f) {
  common_fields(f);
  data_format_field(f, data_format);
  f("keepdims", keepdims);
}

Exprs GlobalPooling2D::call(Trace&, std::span<const Expr> inputs) {
  require_picture(inputs[0]);
  int64_t first = first_spatial_axis(data_format);
  Integers axes{first, first + 1};
  Expr y = maximum ? reduce(inputs[0], "maximum", axes) : mean_rounded_once(inputs[0], axes);
  if (!keepdims) return {y};
  Shape kept(inputs[0].shape());
  for (int64_t axis : axes) kept[axis] = 1;
  return {reshape(y, kept)};
}

// --- ZeroPadding2D ---

void ZeroPadding2D::fields(Fields& f) {
  common_fields(f);
  // An integer, (rows, columns), or ((top, bottom), (left, right)).
  auto pair_of = [](const Json& json) {
    if (!json.is_array()) return std::vector<int64_t>(2, json.as_integer());
    std::vector<int64_t> pair;
    for (const Json& item : json.as_array()) pair.push_back(item.as_integer());
    return pair;
  };
  auto read = [&](const Json& json) {
    bool single = !json.is_array();
    if (!single && json.as_array().size() != 2)
      f.refuse("padding", "expected two entries, received " + json_text(json));
    rows = pair_of(single ? json : json.as_array()[0]);
    columns = pair_of(single ? json : json.as_array()[1]);
    for (const auto* pair : {&rows, &columns})
      if (pair->size() != 2 || (*pair)[0] < 0 || (*pair)[1] < 0)
        f.refuse("padding", "expected pairs of cells, received " + json_text(json));
  };
  f.custom("padding", read, [&] {
    return Json(Json::Array{Json(Json::Array{rows[0], rows[1]}),
                            Json(Json::Array{columns[0], columns[1]})});
  });
  data_format_field(f, data_format);
}

Exprs ZeroPadding2D::call(Trace& trace, std::span<const Expr> inputs) {
  require_picture(inputs[0]);
  Integers low = per_axis({rows[0], columns[0]}, 0, data_format);
  Integers high = per_axis({rows[1], columns[1]}, 0, data_format);
  Expr zero = scalar(trace.build, inputs[0].dtype(), 0);
  return {pad(inputs[0], zero, low, high, Integers(4, 0))};
}

}  // namespace hornbeam
