// Element types and extents, as datasets and attributes declare them.
#pragma once

#include <cstdint>
#include <string>

#include "base/shape.h"
#include "formats/hdf5/source.h"
#include "formats/stored_type.h"

namespace hornbeam::hdf5 {

enum class TextPadding : uint8_t { zero_terminated, zeros, spaces };

struct Datatype {
  enum class Kind { number, fixed_text, variable_text, unsupported };
  Kind kind = Kind::unsupported;
  uint64_t size = 0;                   // bytes of an element in the file, at least 1
  std::string name;                    // for messages: "a compound type"
  const StoredType* number = nullptr;  // of a number
  bool big_endian = false;             // of a number
  TextPadding padding{};               // of a fixed text
};

// A type that is not read is unsupported, not refused: the shape of its dataset can be asked for.
Datatype read_datatype(Cursor message);

struct Dataspace {
  Shape shape;  // a null dataspace, which holds nothing, is the shape (0)
  // Bytes of its elements. H102 when they exceed 2^48, which also guards the arithmetic.
  uint64_t bytes(const Cursor& where, uint64_t element_size) const;
};

Dataspace read_dataspace(Cursor message);

}  // namespace hornbeam::hdf5
