// The order in which Keras lists the layers of a graph. Weights in files are numbered by it.
#pragma once

#include <memory>
#include <vector>

#include "nn/model.h"

namespace hornbeam {

// As Keras' map_graph: by depth (the longest way to an output) falling, ties in the order in which
// the layers are first met when walking from the outputs to the inputs.
std::vector<std::shared_ptr<Layer>> keras_layer_order(const Model& model);

}  // namespace hornbeam
