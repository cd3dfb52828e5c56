#include "nn/optimizer.h"

#include <fmt/format.h>

#include "ir/scope.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

Expr norm(Expr x) { return sqrt(sum_all(x * x)); }

double rate_of(const Json& json, const Fields& f) {
  if (const Json* schedule = json.find("class_name"); schedule != nullptr)
    f.refuse("learning_rate", fmt::format("learning-rate schedules, here {}, are not supported; "
                                          "give a number",
                                          json_text(*schedule)));
  return json.as_number();
}

}  // namespace

void Optimizer::common_fields(Fields& f) {
  name_field(f, name_, class_name());
  f.custom(
      "learning_rate", [&](const Json& json) { learning_rate = rate_of(json, f); },
      [&] { return Json(learning_rate); });
  f("weight_decay", weight_decay);
  f("clipnorm", clipnorm);
  f("global_clipnorm", global_clipnorm);
  f("clipvalue", clipvalue);
  f.fixed("use_ema", false);
  if (!f.reading()) {
    f.fixed("ema_momentum", 0.99);
    f.fixed("ema_overwrite_frequency", nullptr);
  }
  f.ignore("ema_momentum");
  f.ignore("ema_overwrite_frequency");
  f.fixed("loss_scale_factor", nullptr);
  f.fixed("gradient_accumulation_steps", nullptr);
  f.ignore("jit_compile");
  f.ignore("is_legacy_optimizer");
  f.neutral("decay", {0, 0.0, nullptr});
  if (clipnorm.has_value() + global_clipnorm.has_value() + clipvalue.has_value() > 1)
    f.refuse("clipnorm", "only one of clipnorm, global_clipnorm and clipvalue can be set");
}

void Optimizer::clip(std::vector<Trained>& weights) const {
  if (clipnorm)
    for (Trained& each : weights)
      each.gradient = each.gradient * *clipnorm / maximum(norm(each.gradient), *clipnorm);
  if (clipvalue)
    for (Trained& each : weights)
      each.gradient = maximum(minimum(each.gradient, *clipvalue), -*clipvalue);
  if (global_clipnorm && !weights.empty()) {
    Expr total = scalar(*weights[0].weight.builder, DType::float32, 0);
    for (const Trained& each : weights) total = total + sum_all(each.gradient * each.gradient);
    Expr length = sqrt(total);
    Expr scale = *global_clipnorm * minimum(1 / length, 1 / *global_clipnorm);
    for (Trained& each : weights) each.gradient = each.gradient * scale;
  }
}

std::vector<Trained> Optimizer::apply(std::vector<Trained> weights, Expr rate,
                                      Expr iteration) const {
  clip(weights);
  for (Trained& each : weights) {
    Builder& build = *each.weight.builder;
    build.set_scope(update_scope(build.graph().node(each.weight.value).scope));
    if (weight_decay) each.weight = each.weight - each.weight * *weight_decay * rate;
    Rule rule{each.weight, each.gradient, each.slots, rate, iteration};
    each.weight = update(rule);
    each.slots = rule.slots;
  }
  return weights;
}

}  // namespace hornbeam
