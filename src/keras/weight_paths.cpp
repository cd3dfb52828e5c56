#include "keras/weight_paths.h"

#include "nn/names.h"

namespace hornbeam {
namespace {

void collect(Model& model, const std::string& prefix, std::vector<StoredWeight>& all) {
  AutomaticNames names;
  for (const std::shared_ptr<Layer>& layer : model.layers()) {
    std::string path = prefix + "layers/" + names(layer->class_name());
    if (auto nested = dynamic_cast<Model*>(layer.get())) {
      collect(*nested, path + "/", all);
      continue;
    }
    for (size_t i = 0; i < layer->own_weights().size(); ++i)
      all.push_back({path + "/vars/" + std::to_string(i), layer->own_weights()[i].get()});
  }
}

}  // namespace

std::vector<StoredWeight> stored_weights(Model& model) {
  std::vector<StoredWeight> all;
  collect(model, "", all);
  return all;
}

std::vector<Tensor*> slots_in_order(OptimizerState& state, size_t count, size_t together) {
  std::vector<Tensor*> slots;
  for (auto& weight : state.slots)
    for (size_t i = 0; i < together; ++i) slots.push_back(&weight[i]);
  for (size_t i = together; i < count; ++i)
    for (auto& weight : state.slots) slots.push_back(&weight[i]);
  return slots;
}

std::vector<Tensor*> stored_slots(const Optimizer& optimizer, OptimizerState& state) {
  return slots_in_order(state, optimizer.slots().size(), optimizer.stored_together());
}

}  // namespace hornbeam
