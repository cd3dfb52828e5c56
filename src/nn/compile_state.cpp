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

}  // namespace hornbeam
