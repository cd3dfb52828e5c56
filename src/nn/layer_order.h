// The orders in which Keras lists the layers of a graph and runs their calls. Weights in files are
// numbered by the first; a shared layer whose state changes depends on the second.
#pragma once

#include <memory>
#include <vector>

#include "nn/model.h"

namespace hornbeam {

// As Keras' map_graph: by depth (the longest way to an output) falling, ties in the order in which
// the layers are first met when walking from the outputs to the inputs.
std::vector<std::shared_ptr<Layer>> keras_layer_order(const Model& model);

// The numbers of the calls that outputs depend on, operands first: by depth falling, ties in the
// order in which a walk back through the graph first meets them, which is mostly that of the
// operands of their user.
std::vector<size_t> keras_call_order(const Model& model);

}  // namespace hornbeam
