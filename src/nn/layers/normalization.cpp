#include "nn/layers/normalization.h"

#include <fmt/format.h>

#include "base/error.h"
#include "nn/layers/fields.h"
#include "ops/ops.h"

namespace hornbeam {

void BatchNormalization::fields(Fields& f) {
  common_fields(f);
  auto read_axis = [&](const Json& json) {
    bool list = json.is_array() && json.as_array().size() == 1;  // tf.keras writes [3]
    axis = (list ? json.as_array()[0] : json).as_integer();
  };
  f.custom("axis", read_axis, [&] { return Json(axis); });
  f("momentum", momentum);
  f("epsilon", epsilon);
  f("center", center);
  f("scale", scale);
  object_field(f, "beta_initializer", beta_initializer, initializers());
  object_field(f, "gamma_initializer", gamma_initializer, initializers());
  object_field(f, "moving_mean_initializer", moving_mean_initializer, initializers());
  object_field(f, "moving_variance_initializer", moving_variance_initializer, initializers());
  object_field(f, "beta_regularizer", beta_regularizer, regularizers());
  object_field(f, "gamma_regularizer", gamma_regularizer, regularizers());
  object_field(f, "beta_constraint", beta_constraint, constraints());
  object_field(f, "gamma_constraint", gamma_constraint, constraints());
  f.fixed("synchronized", false);
  f.neutral("renorm", {false});
  f.neutral("renorm_clipping", {nullptr});
  f.ignore("renorm_momentum");
  f.neutral("virtual_batch_size", {nullptr});
  f.neutral("fused", {nullptr, true, false});
}

void BatchNormalization::build(std::span<const Shape> inputs) {
  require_inputs(inputs, 1);
  if (inputs[0].rank() < 2)
    refuse_shape("expected an axis to normalise, received " + to_string(inputs[0]));
  int64_t channels_axis = normalized_axis(axis, inputs[0].rank());
  if (channels_axis == 0) refuse_shape("the batch axis cannot be the one to normalise");
  Shape channels{inputs[0][channels_axis]};
  if (scale)
    declare("gamma", channels, gamma_initializer, gamma_regularizer).constraint = gamma_constraint;
  if (center)
    declare("beta", channels, beta_initializer, beta_regularizer).constraint = beta_constraint;
  declare("moving_mean", channels, moving_mean_initializer, nullptr, false);
  declare("moving_variance", channels, moving_variance_initializer, nullptr, false);
}

void BatchNormalization::move(Trace& trace, std::string_view weight, Expr statistic) {
  Expr& average =
      trace.updates.try_emplace(&own(weight), trace.variable(own(weight))).first->second;
  average = trace.mean_over_slices(average * momentum + statistic * (1 - momentum));
}

Exprs BatchNormalization::call(Trace& trace, std::span<const Expr> inputs) {
  // 16 bits are too coarse for sums and squares: computed in float32, as in Keras.
  Expr x = convert(inputs[0], DType::float32);
  Type channels{x.dtype(), {x.shape()[normalized_axis(axis, x.rank())]}};
  Expr gamma = scale ? trace.variable(own("gamma")) : full(trace.build, channels, 1);
  Expr beta = center ? trace.variable(own("beta")) : full(trace.build, channels, 0);
  if (!trace.training || !trainable)
    return {convert(batch_norm_inference(x, gamma, beta, trace.variable(own("moving_mean")),
                                         trace.variable(own("moving_variance")), axis, epsilon),
                    trace.compute_dtype)};
  BatchNormResult result = batch_norm_training(x, gamma, beta, trace.valid, axis, epsilon);
  move(trace, "moving_mean", result.mean);
  move(trace, "moving_variance", result.variance);
  return {convert(result.y, trace.compute_dtype)};
}

}  // namespace hornbeam
