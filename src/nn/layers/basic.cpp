#include "nn/layers/basic.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/layers/fields.h"
#include "ops/ops.h"

namespace hornbeam {

// --- InputLayer ---

void InputLayer::fields(Fields& f) {
  f("name", name);
  auto read_shape = [&](const Json& json) {
    if (json.is_null()) return;
    std::vector<int64_t> extents;
    for (const Json& item : json.as_array())
      extents.push_back(item.is_null() ? -1 : item.as_integer());
    if (extents.empty()) f.refuse("batch_shape", "expected a batch axis");
    if (std::ranges::min(extents) < -1)
      f.refuse("batch_shape", "expected extents or null, received " + json_text(json));
    shape = Shape(std::vector<int64_t>(extents.begin() + 1, extents.end()));
  };
  auto write_shape = [&] {
    if (!shape) return Json();
    Json::Array extents{nullptr};
    for (int64_t extent : *shape) extents.push_back(extent < 0 ? Json() : Json(extent));
    return Json(std::move(extents));
  };
  f.custom("batch_shape", read_shape, write_shape);
  if (f.reading()) f.custom("batch_input_shape", read_shape, write_shape);
  f.custom(
      "dtype", [&](const Json& json) { dtype = dtype_from_name(json.as_text()); },
      [&] { return Json(name_of(dtype)); });
  f.fixed("sparse", false);
  f.neutral("ragged", {false});
  f.neutral("optional", {false});
  f.ignore("trainable");
}

Exprs InputLayer::call(Trace&, std::span<const Expr> inputs) { return {convert(inputs[0], dtype)}; }

// --- Dense ---

void Dense::fields(Fields& f) {
  common_fields(f);
  f("units", units);
  kernel_fields(f);
  f.neutral("activity_regularizer", {nullptr});
  f.neutral("quantization_config", {nullptr});
  f.ignore("input_dim");
  require_positive(f, "units", units);
}

void Dense::build(std::span<const Shape> inputs) {
  require_inputs(inputs, 1);
  if (inputs[0].rank() < 2)
    refuse_shape(
        fmt::format("expected a last axis to multiply, received {}", to_string(inputs[0])));
  int64_t in = inputs[0][inputs[0].rank() - 1];
  declare_kernel({in, units}, units);
}

Exprs Dense::call(Trace& trace, std::span<const Expr> inputs) {
  Expr y = dot(inputs[0], trace.weight(own("kernel")));
  if (use_bias) y = y + trace.weight(own("bias"));
  return {activation(y)};
}

// --- Activation ---

void ActivationLayer::fields(Fields& f) {
  common_fields(f);
  activation_field(f, "activation", activation);
}

Exprs ActivationLayer::call(Trace&, std::span<const Expr> inputs) {
  return {activation(inputs[0])};
}

// --- Flatten, Reshape ---

void Flatten::fields(Fields& f) {
  common_fields(f);
  data_format_field(f, data_format);
}

Exprs Flatten::call(Trace&, std::span<const Expr> inputs) {
  Expr x = inputs[0];
  if (data_format == "channels_first" && x.rank() > 2) {
    Integers order{0};
    for (int64_t axis = 2; axis < x.rank(); ++axis) order.push_back(axis);
    order.push_back(1);
    x = transpose(x, order);
  }
  int64_t batch = x.shape()[0];
  int64_t width = 1;
  for (int64_t axis = 1; axis < x.rank(); ++axis) width *= x.shape()[axis];
  return {reshape(x, {batch, width})};
}

void Reshape::fields(Fields& f) {
  common_fields(f);
  f("target_shape", target_shape, 0);
}

Shape Reshape::shape_for(int64_t elements) const {
  std::vector<int64_t> extents = target_shape;
  auto open = std::ranges::find(extents, -1);
  bool complete = open == extents.end();
  if (!complete) *open = 1;
  int64_t known = Shape(extents).elements();
  if (!complete && known > 0) *open = elements / known;
  bool fits = complete ? known == elements : known > 0 && elements % known == 0;
  if (!fits)
    refuse_shape(fmt::format("the target shape {} does not fit {} elements a sample",
                             to_string(Shape(target_shape)), elements));
  return Shape(std::move(extents));
}

Exprs Reshape::call(Trace&, std::span<const Expr> inputs) {
  std::vector<int64_t> extents = inputs[0].shape().extents();
  int64_t elements = Shape(std::vector<int64_t>(extents.begin() + 1, extents.end())).elements();
  Shape sample = shape_for(elements);
  extents.resize(1);
  extents.insert(extents.end(), sample.begin(), sample.end());
  return {reshape(inputs[0], Shape(std::move(extents)))};
}

// --- Dropout ---

void Dropout::fields(Fields& f) {
  common_fields(f);
  f("rate", rate);
  f.kept("seed", seed);
  f.fixed("noise_shape", nullptr);
  if (rate < 0 || rate > 1) f.refuse("rate", fmt::format("expected 0 to 1, received {}", rate));
}

Exprs Dropout::call(Trace& trace, std::span<const Expr> inputs) {
  if (!trace.training || rate == 0) return {inputs[0]};
  return {dropout(inputs[0], trace.next_key(), rate)};
}

// --- Embedding ---

void Embedding::fields(Fields& f) {
  common_fields(f);
  f("input_dim", input_dim);
  f("output_dim", output_dim);
  object_field(f, "embeddings_initializer", embeddings_initializer, initializers());
  object_field(f, "embeddings_regularizer", embeddings_regularizer, regularizers());
  object_field(f, "embeddings_constraint", embeddings_constraint, constraints());
  f.neutral("activity_regularizer", {nullptr});
  f("mask_zero", mask_zero);
  f.neutral("quantization_config", {nullptr});
  f.ignore("input_length");
  require_positive(f, "input_dim", input_dim);
  require_positive(f, "output_dim", output_dim);
}

void Embedding::build(std::span<const Shape> inputs) {
  require_inputs(inputs, 1);
  declare("embeddings", {input_dim, output_dim}, embeddings_initializer, embeddings_regularizer)
      .constraint = embeddings_constraint;
}

Exprs Embedding::call(Trace& trace, std::span<const Expr> inputs) {
  // Keras takes the rows first, so that their gradients are added up in the variable's dtype.
  Expr rows = gather(trace.variable(own("embeddings")), convert(inputs[0], DType::int32));
  return {convert(rows, trace.compute_dtype)};
}

// --- Rescaling ---

void Rescaling::fields(Fields& f) {
  common_fields(f);
  one_or_more_field(f, "scale", scale);
  one_or_more_field(f, "offset", offset);
}

namespace {

// A list along the last axis of `like`.
Expr along_last(const std::vector<double>& values, Expr like) {
  auto count = static_cast<int64_t>(values.size());
  Shape shape(like.shape());
  if (shape.rank() < 2 || shape[shape.rank() - 1] != count)
    refuse_shape(fmt::format("{} numbers do not fit the last axis of {}", count, to_string(shape)));
  std::vector<float> floats(values.begin(), values.end());
  Tensor list = Tensor::of<float>({count}, std::span<const float>(floats)).converted(like.dtype());
  return broadcast_in_dim(like.builder->constant(std::move(list)), shape, {shape.rank() - 1});
}

}  // namespace

Exprs Rescaling::call(Trace& trace, std::span<const Expr> inputs) {
  Expr x = convert(inputs[0], trace.compute_dtype);
  x = scale.list ? x * along_last(scale.values, x) : x * scale.values[0];
  return {offset.list ? x + along_last(offset.values, x) : x + offset.values[0]};
}

}  // namespace hornbeam
