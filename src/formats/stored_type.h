// The types in which files store numbers, each with the nearest element type of ours that holds all
// its values: float16 → float32, int8, int16, uint16 → int32, uint32, uint64 → int64.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "base/tensor.h"

namespace hornbeam {

struct StoredType {
  std::string_view code;  // NumPy's kind and size, "f4"; "bfloat16", which NumPy lacks
  size_t size;            // bytes of one number in the file
  DType dtype;
  // `swapped` tells that the bytes are in the order this machine does not use. `data` holds exactly
  // the numbers of `shape`, row-major. A uint64 over the largest int64 comes out negative.
  Tensor (*decode)(std::span<const std::byte> data, bool swapped, const Shape& shape);
};

const StoredType* find_stored_type(std::string_view code);  // null when there is none
const StoredType& stored_type_of(DType dtype);              // which stores it as it is

// The first number that was too large for int64, where `type` can store such.
std::optional<uint64_t> wrapped_number(const StoredType& type, const Tensor& decoded);

}  // namespace hornbeam
