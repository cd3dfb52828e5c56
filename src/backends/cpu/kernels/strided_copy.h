// Copies of blocks with any strides: transpose, slice, and the parts of pad and concatenate.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/threads.h"

namespace hornbeam {

inline constexpr int copy_axes = 6;

// Element (i0, …, i5) goes from sum(i * from) to sum(i * to); strides are in elements and may be
// negative or, in `from`, zero. Unused axes have size 1.
struct StridedCopy {
  std::array<int64_t, copy_axes> sizes;
  std::array<int64_t, copy_axes> from;
  std::array<int64_t, copy_axes> to;
};

// Elements of 1, 2, 4 or 8 bytes. Source and destination must not overlap.
void strided_copy(const StridedCopy& problem, int64_t element_bytes, const void* from, void* to,
                  ThreadPool& threads);

// The copy that permutes the axes of a dense array: axis k of the result is axis permutation[k] of
// the source. At most copy_axes axes.
StridedCopy transpose(std::span<const int64_t> source_shape, std::span<const int64_t> permutation);

}  // namespace hornbeam
