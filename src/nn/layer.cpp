#include "nn/layer.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "ops/ops.h"

namespace hornbeam {

Expr Trace::variable(const Weight& weight) {
  if (auto found = weights.find(&weight); found != weights.end()) return found->second;
  Expr value = weight.value.shape() == weight.shape
                   ? build.constant(weight.value)
                   : full(build, {DType::float32, weight.shape}, 0);
  return weights[&weight] = value;
}

Expr Trace::weight(const Weight& weight) { return convert(variable(weight), compute_dtype); }

Expr Trace::next_key() { return fold_in(step_key, build.constant(Tensor::scalar(keys_++))); }

Expr Trace::mean_over_slices(Expr x) {
  Expr counts = convert(compare(valid, "GT", 0.0), x.dtype());
  return all_reduce(x * counts) / all_reduce(counts);
}

Exprs call_layer(Layer& layer, Trace& trace, std::span<const Expr> inputs) {
  Exprs given(inputs.begin(), inputs.end());
  std::vector<Shape> shapes;
  for (Expr& input : given) {
    shapes.emplace_back(input.shape());
    bool cast = is_floating(input.dtype()) ? layer.autocast() : !layer.keeps_integers();
    if (cast) input = convert(input, layer.policy.compute);
  }
  if (!layer.built()) {
    layer.build(shapes);
    layer.set_built();
  }
  DType outer = std::exchange(trace.compute_dtype, layer.policy.compute);
  Exprs results = layer.call(trace, given);
  trace.compute_dtype = outer;
  return results;
}

Weight& Layer::declare(std::string weight_name, Shape shape, InitializerPointer first,
                       RegularizerPointer penalty, bool is_trainable) {
  weights_.push_back(
      std::make_unique<Weight>(Weight{std::move(weight_name), std::move(shape), std::move(first),
                                      std::move(penalty), is_trainable, Tensor()}));
  return *weights_.back();
}

const Weight& Layer::own(std::string_view weight_name) const {
  for (const auto& weight : weights_)
    if (weight->name == weight_name) return *weight;
  check(false, "a layer asks for a weight it has declared");
  __builtin_unreachable();
}

void Layer::common_fields(Fields& f) {
  f("name", name);
  f("trainable", trainable);
  dtype_policy_field(f, policy);
  for (const char* key : {"batch_input_shape", "input_dtype", "build_config"}) f.ignore(key);
}

std::shared_ptr<Layer> make_layer(std::string_view class_name, const Json& config,
                                  const std::string& place) {
  const Json* given = config.find("name");
  std::string name = given != nullptr && given->is_text() ? given->as_text() : "";
  std::string where = place + (name.empty() ? "" : "/" + name);
  std::string with_class = fmt::format("{} ({})", where, class_name);
  std::shared_ptr<Layer> layer = make_by_name(layers(), class_name, with_class);
  read_fields(*layer, config, with_class);
  return layer;
}

void refuse_shape(const std::string& message) { throw Error("H114", {.message = message}); }

void require_inputs(std::span<const Shape> inputs, size_t count) {
  if (inputs.size() != count)
    refuse_shape(fmt::format("expected {}, received {}",
                             counted(static_cast<int64_t>(count), "input"), inputs.size()));
}

void require_rank(std::span<const Shape> inputs, int64_t rank) {
  require_inputs(inputs, 1);
  if (inputs[0].rank() != rank)
    refuse_shape(fmt::format("expected an input of rank {} with the batch, received {}", rank,
                             to_string(inputs[0])));
}

}  // namespace hornbeam
