#include "nn/compile_state.h"

namespace hornbeam {

OptimizerState fresh_state(const Optimizer& optimizer, Model& model) {
  OptimizerState state{.learning_rate = optimizer.learning_rate};
  for (const ModelWeight& weight : model.weights()) {
    if (!weight.trained) continue;
    state.slots.emplace_back(optimizer.slots().size(),
                             Tensor(DType::float32, weight.weight->shape));
  }
  return state;
}

StateSources sources_of(Model& model, const OptimizerState* optimizer) {
  StateSources sources;
  for (const ModelWeight& each : model.weights())
    sources.weights[each.weight] = source_of(each.weight->value);
  if (optimizer == nullptr) return sources;
  sources.optimizer = {optimizer->iteration, optimizer->learning_rate, {}};
  for (const std::vector<Tensor>& slots : optimizer->slots) {
    std::vector<TensorSource>& all = sources.optimizer->slots.emplace_back();
    for (const Tensor& slot : slots) all.push_back(source_of(slot));
  }
  return sources;
}

}  // namespace hornbeam
