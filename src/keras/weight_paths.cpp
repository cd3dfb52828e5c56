#include "keras/weight_paths.h"

#include "nn/names.h"

namespace hornbeam {
namespace {

bool has_weights(Layer& layer) {
  auto model = dynamic_cast<Model*>(&layer);
  return model != nullptr ? !model->weights().empty() : !layer.own_weights().empty();
}

void collect(Model& model, const std::string& prefix, std::string_view folder,
             std::vector<StoredWeight>& all) {
  AutomaticNames names;
  for (const std::shared_ptr<Layer>& layer : model.layers()) {
    std::string path = prefix + std::string(folder) + "/" + names(layer->class_name());
    // The older folder listed layers with weights twice, and the second time took up a number.
    if (folder == older_layers_folder && has_weights(*layer)) names(layer->class_name());
    if (auto nested = dynamic_cast<Model*>(layer.get())) {
      collect(*nested, path + "/", folder, all);
      continue;
    }
    for (size_t i = 0; i < layer->own_weights().size(); ++i)
      all.push_back({path + "/vars/" + std::to_string(i), layer->own_weights()[i].get()});
  }
}

// For a state that may be written or only read.
template <class Slot, class State>
std::vector<Slot> in_order(State& state, size_t count, size_t together) {
  std::vector<Slot> slots;
  for (auto& weight : state.slots)
    for (size_t i = 0; i < together; ++i) slots.push_back(&weight[i]);
  for (size_t i = together; i < count; ++i)
    for (auto& weight : state.slots) slots.push_back(&weight[i]);
  return slots;
}

}  // namespace

std::vector<StoredWeight> stored_weights(Model& model, std::string_view folder) {
  std::vector<StoredWeight> all;
  collect(model, "", folder, all);
  return all;
}

std::vector<Tensor*> slots_in_order(OptimizerState& state, size_t count, size_t together) {
  return in_order<Tensor*>(state, count, together);
}

std::vector<Tensor*> stored_slots(const Optimizer& optimizer, OptimizerState& state) {
  return in_order<Tensor*>(state, optimizer.slots().size(), optimizer.stored_together());
}

std::vector<const Tensor*> stored_slots(const Optimizer& optimizer, const OptimizerState& state) {
  return in_order<const Tensor*>(state, optimizer.slots().size(), optimizer.stored_together());
}

std::vector<const TensorSource*> stored_slots(const Optimizer& optimizer,
                                              const OptimizerSources& state) {
  return in_order<const TensorSource*>(state, optimizer.slots().size(),
                                       optimizer.stored_together());
}

}  // namespace hornbeam
