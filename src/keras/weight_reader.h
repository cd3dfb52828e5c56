// Weights from the HDF5 files of Keras 3 (.weights.h5, and model.weights.h5 in .keras archives).
#pragma once

#include "formats/hdf5.h"
#include "nn/model.h"

namespace hornbeam {

// Weights are found by path: layers/CLASS/vars/NUMBER, or the older name of the folder that
// tf.keras 2.12 and 2.13 wrote. `place` names the file in errors: H112 for missing weights and
// other shapes.
void read_weights(const Hdf5Group& file, const std::string& place, Model& model);
bool holds_keras_3_weights(const Hdf5Group& file);

// Gives a weight its value, which must have its shape (H112).
void assign(Weight& weight, Tensor value, const std::string& place);

}  // namespace hornbeam
