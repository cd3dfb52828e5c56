// HDF5 files as Keras reads them, made in memory by the HDF5 library.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/tensor.h"

namespace hornbeam {

// Groups are made as paths need them. Tensors are not copied and must outlive the document.
struct Hdf5Document {
  struct Data {
    std::string path;  // "layers/dense/vars/0"
    const Tensor* tensor;
  };
  struct Text {
    std::string group, name, value;
  };
  std::vector<std::string> groups;
  std::vector<Data> datasets;
  std::vector<Text> attributes;
};

// The bytes of the file. Throws H120 when the library fails.
std::vector<std::byte> hdf5_bytes(const Hdf5Document& document);

}  // namespace hornbeam
