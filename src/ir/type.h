// The type of a value in a graph: element type and shape, both always known.
#pragma once

#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/shape.h"

namespace hornbeam {

struct Type {
  DType dtype = DType::float32;
  Shape shape;

  bool operator==(const Type&) const = default;
  int64_t bytes() const { return shape.elements() * static_cast<int64_t>(size_of(dtype)); }
};

using Types = std::vector<Type>;

std::string to_string(const Type& type);  // "float32[128,32,32,3]", "int32[]"

}  // namespace hornbeam
