// HDF5 files as Keras reads them, written by the HDF5 library.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/tensor_source.h"

namespace hornbeam {

// Groups are made as paths need them. Tensors are read in parts while they are written.
struct Hdf5Document {
  struct Data {
    std::string path;  // "layers/dense/vars/0"
    TensorSource tensor;
  };
  struct Text {
    std::string group, name, value;
  };
  std::vector<std::string> groups;
  std::vector<Data> datasets;
  std::vector<Text> attributes;
};

// Makes or replaces the file. Throws H120 when it cannot be written, in the name of `target` (what
// the file is made for); what is there then is broken.
void write_hdf5(const std::filesystem::path& path, const Hdf5Document& document,
                const std::filesystem::path& target);

}  // namespace hornbeam
