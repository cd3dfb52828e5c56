// Numbers and texts from the bytes of datasets and attributes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "formats/hdf5/datatype.h"

namespace hornbeam::hdf5 {

// `data` holds exactly the elements. Refuses types that are no numbers, naming them.
Tensor to_tensor(const Source& source, const Datatype& type, const Shape& shape,
                 std::span<const std::byte> data);
// The texts in row-major order; variable-length ones are looked up in the global heaps.
std::vector<std::string> to_texts(const Source& source, const Datatype& type,
                                  std::span<const std::byte> data);

}  // namespace hornbeam::hdf5
