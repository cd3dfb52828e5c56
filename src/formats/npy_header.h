// The header of a .npy array: a Python dictionary literal with exactly the keys descr,
// fortran_order and shape. Parsed strictly, with bounds; nothing is ever evaluated.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/shape.h"

namespace hornbeam {

struct NpyHeader {
  std::string descr;  // "<f4"; the text of a structured type as it stands, "[('a', '<f4')]"
  bool fortran_order = false;
  Shape shape;             // extents at least 0; their product fits 2^62
  size_t data_offset = 0;  // within the content given to parse_npy_header; at most its size
};

// Throws H202 naming `place` and what is wrong.
NpyHeader parse_npy_header(std::span<const std::byte> content, const std::string& place);

// From the magic bytes to the end of the padded dictionary.
std::string npy_header_text(std::string_view descr, const Shape& shape);

}  // namespace hornbeam
