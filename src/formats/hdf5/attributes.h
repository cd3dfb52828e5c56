// The attributes of a group or dataset: in its header, or in a fractal heap.
#pragma once

#include <string>
#include <vector>

#include "base/tensor.h"
#include "formats/hdf5/datatype.h"
#include "formats/hdf5/object_header.h"

namespace hornbeam::hdf5 {

struct Attribute {
  std::string name;
  Datatype type;
  Shape shape;
  std::span<const std::byte> data;
};

std::vector<Attribute> read_attributes(const Source& source, const ObjectHeader& header);

}  // namespace hornbeam::hdf5
