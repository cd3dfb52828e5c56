#include "nn/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "nn/layer_order.h"
#include "nn/layers/basic.h"

namespace hornbeam {
namespace {

bool is_input(const LayerCall& call) {
  return dynamic_cast<const InputLayer*>(call.layer.get()) != nullptr;
}

std::vector<Shape> shapes_of(std::span<const Expr> exprs) {
  std::vector<Shape> shapes;
  for (const Expr& expr : exprs) shapes.emplace_back(expr.shape());
  return shapes;
}

void collect_policies(const Model& model, std::set<std::string>& names) {
  for (const LayerCall& call : model.calls) {
    if (auto nested = dynamic_cast<const Model*>(call.layer.get()))
      collect_policies(*nested, names);
    else if (!is_input(call))
      names.emplace(call.layer->policy.name);
  }
}

// Shape and type problems of a layer become H114 with the place of the layer.
template <class Work>
auto at_place(const std::string& place, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.code().name == "H701") {
      ErrorParts parts = error.parts();
      parts.notes.push_back("in " + parts.place);
      parts.place = place;
      throw Error("H114", std::move(parts));
    }
    throw error.at(place);
  }
}

}  // namespace

Exprs Model::call(Trace& trace, std::span<const Expr> given) {
  require_inputs(shapes_of(given), inputs.size());
  std::string outer = trace.build.scope();
  std::vector<Exprs> results(calls.size());
  for (size_t i : keras_call_order(*this)) {
    Layer& layer = *calls[i].layer;
    std::string place = outer.empty() ? layer.name : outer + "/" + layer.name;
    Exprs operands;
    for (TensorRef ref : calls[i].inputs) operands.push_back(results[ref.call][ref.output]);
    if (is_input(calls[i])) {
      auto found = std::ranges::find(inputs, TensorRef{i, 0});
      operands.push_back(given[static_cast<size_t>(found - inputs.begin())]);
    }
    trace.build.set_scope(place);
    results[i] = at_place(fmt::format("{} ({})", place, layer.class_name()),
                          [&] { return call_layer(layer, trace, operands); });
    if (!built()) calls[i].output_shapes = shapes_of(results[i]);
  }
  trace.build.set_scope(outer);
  Exprs out;
  for (TensorRef ref : outputs) out.push_back(results[ref.call][ref.output]);
  return out;
}

void Model::build(std::span<const Shape> shapes) { build_for(shapes); }

void Model::build_for(std::span<const Shape> shapes) {
  Builder scratch;
  Trace trace(scratch, false);
  Exprs given;
  for (size_t i = 0; i < shapes.size(); ++i)
    given.push_back(scratch.input(std::to_string(i), {DType::float32, shapes[i]}));
  output_shapes_ = shapes_of(call(trace, given));
  set_built();
}

std::vector<std::shared_ptr<Layer>> Model::layers() const {
  if (!sequential) return keras_layer_order(*this);
  std::vector<std::shared_ptr<Layer>> all;
  std::set<const Layer*> listed;
  for (const LayerCall& call : calls)
    if (!is_input(call) && listed.insert(call.layer.get()).second) all.push_back(call.layer);
  return all;
}

const std::string& Model::input_name(size_t number) const {
  return calls[inputs[number].call].layer->name;
}

const std::string& Model::output_name(size_t number) const {
  return calls[outputs[number].call].layer->name;
}

std::optional<std::vector<Shape>> Model::declared_shapes() const {
  std::vector<Shape> shapes;
  for (TensorRef ref : inputs) {
    auto input = dynamic_cast<const InputLayer*>(calls[ref.call].layer.get());
    if (input == nullptr || !input->shape) return std::nullopt;
    std::vector<int64_t> extents{1};
    extents.insert(extents.end(), input->shape->begin(), input->shape->end());
    if (std::ranges::count(extents, -1) > 0) return std::nullopt;
    shapes.emplace_back(extents);
  }
  return shapes;
}

std::vector<ModelWeight> Model::weights() {
  std::vector<ModelWeight> all;
  collect("", all);
  std::set<const Weight*> listed;
  std::erase_if(all, [&](const ModelWeight& each) { return !listed.insert(each.weight).second; });
  if (!sequential && !trainable)
    for (ModelWeight& each : all) each.trained = false;
  return all;
}

void Model::collect(const std::string& prefix, std::vector<ModelWeight>& all) {
  for (const std::shared_ptr<Layer>& layer : layers()) {
    std::string path = prefix + layer->name;
    if (auto nested = dynamic_cast<Model*>(layer.get())) {
      nested->collect(path + "/", all);
      continue;
    }
    for (auto& weight : layer->own_weights())
      all.push_back(
          {path + "/" + weight->name, weight.get(), layer->trainable && weight->trainable});
  }
}

int64_t Model::parameters() {
  int64_t count = 0;
  for (const ModelWeight& weight : weights()) count += weight.weight->shape.elements();
  return count;
}

void Model::set_dtype_policy(const DTypePolicy& global) {
  if (policy == float32_policy) policy = global;
  for (const LayerCall& call : calls) {
    if (auto nested = dynamic_cast<Model*>(call.layer.get()))
      nested->set_dtype_policy(global);
    else if (!is_input(call) && call.layer->policy == float32_policy)
      call.layer->policy = global;
  }
}

std::string Model::policy_names() const {
  std::set<std::string> names;
  collect_policies(*this, names);
  return join(std::vector<std::string>(names.begin(), names.end()), ", ");
}

int64_t Model::initialize(uint64_t seed) {
  uint64_t number = 0;
  int64_t drawn = 0;
  for (const ModelWeight& each : weights()) {
    Random random(fold_in(seed, number++));
    Weight& weight = *each.weight;
    if (weight.value.shape() == weight.shape) continue;
    weight.value = weight.initializer->draw(weight.shape, random);
    ++drawn;
  }
  return drawn;
}

}  // namespace hornbeam
