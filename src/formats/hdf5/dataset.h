// The elements of a dataset, wherever they are stored.
#pragma once

#include <string>
#include <vector>

#include "base/tensor.h"
#include "formats/hdf5/object_header.h"

namespace hornbeam::hdf5 {

Shape read_shape(const ObjectHeader& dataset);

// Elements that were never written are the dataset's fill value, normally zero. A dataset that
// claims more than the file can hold, packed as tightly as deflate can, is refused.
Tensor read_tensor(const Source& source, const ObjectHeader& dataset);
std::vector<std::string> read_texts(const Source& source, const ObjectHeader& dataset);

}  // namespace hornbeam::hdf5
