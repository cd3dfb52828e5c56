#include "base/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"

namespace hornbeam {

int64_t Shape::elements() const {
  constexpr int64_t limit = int64_t{1} << 62;
  bool empty = false;
  int64_t product = 1;
  for (int64_t extent : extents_) {
    if (extent < 0)
      throw Error("H701", {.message = "shape " + to_string(*this) + " has a negative extent"});
    empty |= extent == 0;
    if (extent != 0 && product > limit / extent)
      throw Error("H701", {.message = "shape " + to_string(*this) + " has too many elements"});
    if (extent != 0) product *= extent;
  }
  return empty ? 0 : product;
}

std::vector<int64_t> Shape::strides() const {
  std::vector<int64_t> strides(extents_.size(), 1);
  for (int64_t axis = rank() - 2; axis >= 0; --axis)
    strides[axis] = strides[axis + 1] * extents_[axis + 1];
  return strides;
}

std::string to_string(const Shape& shape) {
  return fmt::format("({})", fmt::join(shape.begin(), shape.end(), ", "));
}

int64_t normalized_axis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    throw Error("H701",
                {.message = fmt::format("axis {} is outside a tensor of rank {}", axis, rank)});
  return axis < 0 ? axis + rank : axis;
}

}  // namespace hornbeam
