#include "backends/cpu/kernels/tile_transfer.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/tile_transfer.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hornbeam {
namespace HWY_NAMESPACE {
namespace {

// Where the iteration stands on every axis but the last, and in the operand.
class Walk {
 public:
  Walk(std::span<const TileAxis> axes, int64_t first) : axes_(axes) {
    for (size_t axis = axes.size(); axis-- > 0; first /= axes[axis].extent) {
      index_[axis] = first % axes[axis].extent;
      offset_ += index_[axis] * axes[axis].stride;
    }
  }
  int64_t offset() const { return offset_; }
  int64_t left_in_run() const { return axes_.back().extent - index_[axes_.size() - 1]; }
  void advance(int64_t run) {
    size_t axis = axes_.size() - 1;
    index_[axis] += run;
    offset_ += run * axes_[axis].stride;
    for (; axis > 0 && index_[axis] == axes_[axis].extent; --axis) {
      offset_ += axes_[axis - 1].stride - index_[axis] * axes_[axis].stride;
      index_[axis] = 0;
      ++index_[axis - 1];
    }
  }

 private:
  std::span<const TileAxis> axes_;
  int64_t index_[most_tile_axes] = {};
  int64_t offset_ = 0;
};

template <class T>
void load_strided(const TileInput& input, const T* from, int64_t first, int64_t count, float* to) {
  Walk walk(input.axes, first);
  const bool repeats = input.axes.back().stride == 0;
  for (int64_t i = 0; i < count;) {
    const int64_t run = std::min(count - i, walk.left_in_run());
    const T* run_from = from + walk.offset();
    if (repeats)
      std::fill_n(to + i, run, static_cast<float>(run_from[0]));
    else
      for (int64_t j = 0; j < run; ++j) to[i + j] = static_cast<float>(run_from[j]);
    walk.advance(run);
    i += run;
  }
}

// The row once, from its element `at` on, then what is there again and again: short rows would be
// slow one by one.
template <class T>
void load_row(const T* row, int64_t extent, int64_t at, int64_t count, float* to) {
  const int64_t once = std::min(count, extent), head = std::min(once, extent - at);
  for (int64_t i = 0; i < head; ++i) to[i] = static_cast<float>(row[at + i]);
  for (int64_t i = head; i < once; ++i) to[i] = static_cast<float>(row[i - head]);
  for (int64_t done = once, run; done < count; done += run) {
    run = std::min(done, count - done);
    std::copy_n(to, run, to + done);
  }
}

// Plain loops, which the compiler turns into the vectors of this instruction set.
template <class T>
void load_elements(const TileInput& input, const T* base, int64_t first, int64_t count, float* to) {
  const T* from = base + input.offset;
  if (input.access == TileAccess::strided) {
    load_strided(input, from, first, count, to);
  } else if (input.access == TileAccess::contiguous) {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[first + i]);
  } else if (input.access == TileAccess::scalar) {
    std::fill_n(to, count, static_cast<float>(from[0]));
  } else if (input.access == TileAccess::row) {
    load_row(from, input.extent, first % input.extent, count, to);
  } else {
    int64_t row = first / input.extent;
    for (int64_t i = 0; i < count; ++row) {
      const int64_t run = std::min(count - i, (row + 1) * input.extent - first - i);
      std::fill_n(to + i, run, static_cast<float>(from[row]));
      i += run;
    }
  }
}

void load_tile_vector(const TileInput& input, const void* from, int64_t first, int64_t count,
                      float* to) {
  switch (input.dtype) {
    case DType::float32:
      return load_elements(input, static_cast<const float*>(from), first, count, to);
    case DType::bfloat16:
      return load_elements(input, static_cast<const BFloat16*>(from), first, count, to);
    case DType::int32:
      return load_elements(input, static_cast<const int32_t*>(from), first, count, to);
    default:  // uint8 and bool
      return load_elements(input, static_cast<const uint8_t*>(from), first, count, to);
  }
}

// NaN becomes 0.
template <class T>
T whole_number(float value) {
  if (!(value > static_cast<float>(std::numeric_limits<T>::min())))
    return value != value ? T{0} : std::numeric_limits<T>::min();
  if (value >= static_cast<float>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

void store_tile_vector(DType dtype, const float* from, int64_t first, int64_t count, void* to) {
  const auto store = [&]<class T>(T* out, auto&& convert) {
    for (int64_t i = 0; i < count; ++i) out[first + i] = convert(from[i]);
  };
  if (dtype == DType::float32)
    store(static_cast<float*>(to), [](float x) { return x; });
  else if (dtype == DType::bfloat16)
    store(static_cast<BFloat16*>(to), [](float x) { return BFloat16(x); });
  else if (dtype == DType::int32)
    store(static_cast<int32_t*>(to), whole_number<int32_t>);
  else if (dtype == DType::uint8)
    store(static_cast<uint8_t*>(to), whole_number<uint8_t>);
  else
    store(static_cast<uint8_t*>(to), [](float x) { return uint8_t{x != 0}; });
}

void add_rows_vector(const float* from, int64_t count, int64_t columns, float* sums) {
  for (int64_t row = 0; row < count; row += columns)
    for (int64_t c = 0; c < columns; ++c) sums[c] += from[row + c];
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hornbeam
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hornbeam {

HWY_EXPORT(load_tile_vector);
HWY_EXPORT(store_tile_vector);
HWY_EXPORT(add_rows_vector);

void load_tile(const TileInput& input, const void* from, int64_t first, int64_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(load_tile_vector)(input, from, first, count, to);
}

void store_tile(DType dtype, const float* from, int64_t first, int64_t count, void* to) {
  HWY_DYNAMIC_DISPATCH(store_tile_vector)(dtype, from, first, count, to);
}

void add_rows(const float* from, int64_t count, int64_t columns, float* sums) {
  HWY_DYNAMIC_DISPATCH(add_rows_vector)(from, count, columns, sums);
}

}  // namespace hornbeam
#endif  // HWY_ONCE
