// Helpers of the reference meanings: numbers of any element type as double or int64, and walking
// multi-indices. Plain loops; the oracle is boring.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "ir/graph.h"

namespace hornbeam {

template <class T>
inline constexpr bool is_float_type =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, BFloat16>;

// Floats are computed in double and rounded once; integers in int64.
template <class T>
using Wide = std::conditional_t<is_float_type<T>, double, int64_t>;

template <class T>
Wide<T> widen(T value) {
  if constexpr (std::is_same_v<T, BFloat16>)
    return static_cast<double>(static_cast<float>(value));
  else
    return static_cast<Wide<T>>(value);
}

template <class T>
T narrow(Wide<T> value) {
  if constexpr (std::is_same_v<T, BFloat16>)
    return BFloat16(static_cast<float>(value));
  else if constexpr (std::is_same_v<T, bool>)
    return value != 0;
  else
    return static_cast<T>(value);
}

// Counts through all indices of a shape in row-major order, keeping offsets into several tensors,
// each with its own stride per axis (0 repeats).
class Walk {
 public:
  Walk(const Shape& shape, std::vector<std::vector<int64_t>> strides)
      : extents_(shape.extents()),
        strides_(std::move(strides)),
        index_(extents_.size()),
        offsets_(strides_.size()) {}

  const std::vector<int64_t>& index() const { return index_; }
  int64_t offset(size_t tensor) const { return offsets_[tensor]; }
  void next() {
    for (size_t axis = extents_.size(); axis-- > 0;) {
      step(axis, 1);
      if (++index_[axis] < extents_[axis]) return;
      step(axis, -index_[axis]);
      index_[axis] = 0;
    }
  }

 private:
  void step(size_t axis, int64_t count) {
    for (size_t i = 0; i < strides_.size(); ++i) offsets_[i] += count * strides_[i][axis];
  }
  std::vector<int64_t> extents_;
  std::vector<std::vector<int64_t>> strides_;
  std::vector<int64_t> index_;
  std::vector<int64_t> offsets_;
};

// Copies element by element: the k-th visited index of `shape` from x at `from` strides to y at
// `to` strides, each starting at an offset.
void copy_elements(const Tensor& x, int64_t from_offset, std::vector<int64_t> from, Tensor& y,
                   int64_t to_offset, std::vector<int64_t> to, const Shape& shape);

// The strides of x as seen along `axes` of x, one for each entry.
std::vector<int64_t> strides_along(const Shape& shape, const std::vector<int64_t>& axes);

}  // namespace hornbeam
