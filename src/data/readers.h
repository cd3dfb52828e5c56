// Reading a data set from a path: what it holds decides which reader takes it.
//
// To add a reader: one file with a constant Reader, one row in readers.cpp.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/dataset.h"

namespace hornbeam {

enum class Part { train, test };
std::string_view name_of(Part part);

struct DataRequest {
  std::filesystem::path path;
  Part part = Part::train;
  std::filesystem::path targets = {};     // the targets of a .npy file; else empty
  std::vector<std::string> input_names;   // of the model, where known: arrays of .npz files may
  std::vector<std::string> output_names;  // have these names
};

// "PATH", "PATH:train" or "PATH:test". A path that exists as written is taken as it is.
DataRequest parse_data_request(std::string_view text);

struct Reader {
  std::string_view name;  // "CIFAR-10/100 binary files"
  bool (*recognises)(const std::filesystem::path& path);
  Dataset (*read)(const DataRequest& request);
};
std::span<const Reader* const> all_readers();

// Reads and checks (check_dataset). The name of the result is "PATH:PART" or "PATH". Throws H201
// when there is nothing to read, H202 when it is damaged, H208 when it holds no numbers.
Dataset read_dataset(const DataRequest& request);

}  // namespace hornbeam
