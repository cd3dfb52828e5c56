// Weights from the HDF5 files of Keras 1 and 2, and of Keras 3 where it writes .h5.
#pragma once

#include <string>
#include <vector>

#include "formats/hdf5.h"
#include "keras/origin.h"
#include "nn/model.h"

namespace hornbeam {

// The layout of the group model_weights, or of a root that is like it. Layers are found by their
// names where the file has all of them, else by their order, as Keras does; the weights of a layer
// by their order. Kernels of convolutions are turned to the present layout: Keras 1 stored them as
// (filters, channels, rows, columns) for channels_first, and Theano mirrored them. `place` names
// the file in errors: H112 for missing weights and other shapes.
void read_legacy_weights(const Hdf5Group& file, const std::string& place, const Origin& origin,
                         Model& model);

// Which Keras wrote a file of this layout.
Origin origin_of(const Hdf5Group& file);

// An attribute that holds names, which Keras splits into NAME0, NAME1, … when they are many.
std::vector<std::string> text_list(const Hdf5Group& group, const std::string& name);

}  // namespace hornbeam
