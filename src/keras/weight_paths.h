// Where the weights of a model lie in the weights file of Keras 3.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nn/compile_state.h"

namespace hornbeam {

// The folder of a model's layers, and what tf.keras 2.12 and 2.13 called it.
inline constexpr std::string_view layers_folder = "layers";
inline constexpr std::string_view older_layers_folder = "_layer_checkpoint_dependencies";

struct StoredWeight {
  std::string path;  // "layers/dense_1/vars/0"
  Weight* weight;
};

// Groups are named after classes, numbered in the order of model.layers; variables after their
// order.
std::vector<StoredWeight> stored_weights(Model& model, std::string_view folder = layers_folder);

// The slots of an optimizer in the order in which Keras 3 stores them, behind iteration and rate.
std::vector<Tensor*> stored_slots(const Optimizer& optimizer, OptimizerState& state);
std::vector<const Tensor*> stored_slots(const Optimizer& optimizer, const OptimizerState& state);
std::vector<const TensorSource*> stored_slots(const Optimizer& optimizer,
                                              const OptimizerSources& state);
// The same for `count` slots a weight: the first `together` of them weight by weight, then each of
// the others for all weights.
std::vector<Tensor*> slots_in_order(OptimizerState& state, size_t count, size_t together);

}  // namespace hornbeam
