// The readers, each defined in its own file, and what they share.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "data/readers.h"

namespace hornbeam {

extern const Reader cifar_reader;  // cifar.cpp
extern const Reader idx_reader;    // idx.cpp
extern const Reader npz_reader;    // npz.cpp
extern const Reader npy_reader;    // npy.cpp

// The regular files right inside `folder`, shorter names first, then by name, so that part 10
// follows part 9. Empty when it is no folder that can be read.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

// The whole file; H201 where base/files.h throws H101.
std::vector<std::byte> read_data_file(const std::filesystem::path& path);

// Whether the file begins with these bytes.
bool begins_with(const std::filesystem::path& file, std::string_view bytes);

std::string name_with_part(const DataRequest& request);  // "cifar10:train"

// Throws H201: the data has no such part. `expected` says what was looked for.
[[noreturn]] void no_such_part(const DataRequest& request, const std::string& expected);

// Throws H202.
[[noreturn]] void damaged(const std::filesystem::path& file, const std::string& message);

}  // namespace hornbeam
