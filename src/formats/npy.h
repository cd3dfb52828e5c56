// NumPy's .npy arrays (format versions 1, 2 and 3).
//
// Element types we have are kept; others become the nearest of ours that holds all their values:
// float16 → float32, int8, int16, uint16 → int32, uint32 → int64, uint64 → int64 when its numbers
// fit. Big-endian and column-major arrays come out as row-major tensors of this machine.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/tensor.h"

namespace hornbeam {

// `place` names the array in messages. Throws H202 on damaged content and H208 on arrays of
// anything but numbers and booleans; object arrays (pickled Python) are never unpacked.
Tensor parse_npy(std::span<const std::byte> content, const std::string& place);
Tensor read_npy(const std::filesystem::path& path);

// Version 1, little-endian, row-major. bfloat16, which NumPy lacks, is written as float32.
std::vector<std::byte> npy_bytes(const Tensor& tensor);

}  // namespace hornbeam
