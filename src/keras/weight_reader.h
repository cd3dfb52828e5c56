// Weights and optimizer state from HDF5 files of Keras. `place` names the file in errors.
#pragma once

#include "formats/hdf5.h"
#include "nn/compile_state.h"

namespace hornbeam {

// The layout of Keras 3 (layers/CLASS/vars/NUMBER). H112 for missing weights and other shapes.
void read_weights(const Hdf5Group& file, const std::string& place, Model& model);
// The layout of Keras 1 and 2 (model_weights, by the order of layers and weights).
void read_legacy_weights(const Hdf5Group& file, const std::string& place, Model& model);
// Nothing when the file has no state that fits the optimizer.
std::optional<OptimizerState> read_optimizer_state(const Hdf5Group& file, const CompileConfig& config,
                                                   Model& model);

}  // namespace hornbeam
