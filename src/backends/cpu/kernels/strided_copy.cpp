#include "backends/cpu/kernels/strided_copy.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "backends/cpu/kernels/workspace.h"
#include "base/error.h"

namespace hornbeam {
namespace {

constexpr int64_t tile = 16;

struct Axis {
  int64_t size, from, to;
};

// The axes from the outermost to the innermost of the destination, neighbours that lie in a row in
// both joined into one.
struct Axes {
  explicit Axes(const StridedCopy& p) {
    for (size_t k = 0; k < copy_axes; ++k)
      if (p.sizes[k] != 1) insert({p.sizes[k], p.from[k], p.to[k]});
    join();
  }

  // Behind all axes with larger strides in the destination. (std::stable_sort allocates.)
  void insert(const Axis& added) {
    int place = count++;
    for (; place > 0; --place) {
      const Axis& before = axis[static_cast<size_t>(place - 1)];
      if (std::abs(before.to) >= std::abs(added.to)) break;
      axis[static_cast<size_t>(place)] = before;
    }
    axis[static_cast<size_t>(place)] = added;
  }

  void join() {
    int kept = 0;
    for (int k = 1; k < count; ++k) {
      Axis& outer = axis[static_cast<size_t>(kept)];
      const Axis inner = axis[static_cast<size_t>(k)];
      if (outer.from == inner.from * inner.size && outer.to == inner.to * inner.size)
        outer = {outer.size * inner.size, inner.from, inner.to};
      else
        axis[static_cast<size_t>(++kept)] = inner;
    }
    count = count == 0 ? 0 : kept + 1;
  }

  std::array<Axis, copy_axes> axis{};
  int count = 0;
};

template <class T>
void copy_line(const Axis& line, const T* from, T* to) {
  if (line.from == 1 && line.to == 1) {
    std::memcpy(to, from, static_cast<size_t>(line.size) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < line.size; ++i) to[i * line.to] = from[i * line.from];
}

// A plane in square tiles, so that lines read across and lines written along both stay in the
// cache.
template <class T>
void copy_plane(const Axis& rows, const Axis& line, const T* from, T* to) {
  for (int64_t r = 0; r < rows.size; r += tile)
    for (int64_t c = 0; c < line.size; c += tile)
      for (int64_t i = r; i < std::min(rows.size, r + tile); ++i) {
        const T* source = from + i * rows.from;
        T* target = to + i * rows.to;
        for (int64_t j = c; j < std::min(line.size, c + tile); ++j)
          target[j * line.to] = source[j * line.from];
      }
}

// The axis, other than the innermost, that the source runs along fastest, if it runs along it
// faster than along the innermost: the one to tile with.
int tiled_axis(const Axes& axes) {
  int best = -1;
  int64_t stride = std::abs(axes.axis[static_cast<size_t>(axes.count - 1)].from);
  for (int k = 0; k + 1 < axes.count; ++k) {
    const int64_t candidate = std::abs(axes.axis[static_cast<size_t>(k)].from);
    if (candidate != 0 && candidate < stride) best = k, stride = candidate;
  }
  return best;
}

template <class T>
void copy_axes_of(const StridedCopy& problem, const void* from_bytes, void* to_bytes,
                  ThreadPool& threads) {
  const T* from = static_cast<const T*>(from_bytes);
  T* to = static_cast<T*>(to_bytes);
  Axes axes(problem);
  if (axes.count == 0) {
    *to = *from;
    return;
  }
  const Axis line = axes.axis[static_cast<size_t>(axes.count - 1)];
  const int tiled = tiled_axis(axes);
  const Axis plane = tiled < 0 ? Axis{1, 0, 0} : axes.axis[static_cast<size_t>(tiled)];
  std::array<Axis, copy_axes> outer{};
  int outer_count = 0;
  int64_t planes = 1;
  for (int k = 0; k + 1 < axes.count; ++k) {
    if (k == tiled) continue;
    outer[static_cast<size_t>(outer_count++)] = axes.axis[static_cast<size_t>(k)];
    planes *= axes.axis[static_cast<size_t>(k)].size;
  }
  const int64_t strip = std::max(tile, round_up(16384 / std::max<int64_t>(1, line.size), tile));
  const int64_t strips = divide_up(plane.size, strip);
  const int64_t group = std::max<int64_t>(1, 8192 / std::max<int64_t>(1, plane.size * line.size));
  threads.run(divide_up(planes * strips, group), [&](int64_t piece, int) {
    const int64_t end = std::min(planes * strips, (piece + 1) * group);
    for (int64_t number = piece * group; number < end; ++number) {
      const int64_t begin = number % strips * strip;
      int64_t rest = number / strips;
      int64_t source = begin * plane.from, target = begin * plane.to;
      for (int k = outer_count - 1; k >= 0; --k) {
        const Axis& axis = outer[static_cast<size_t>(k)];
        source += rest % axis.size * axis.from;
        target += rest % axis.size * axis.to;
        rest /= axis.size;
      }
      if (tiled < 0)
        copy_line(line, from + source, to + target);
      else
        copy_plane({std::min(strip, plane.size - begin), plane.from, plane.to}, line, from + source,
                   to + target);
    }
  });
}

}  // namespace

void strided_copy(const StridedCopy& problem, int64_t element_bytes, const void* from, void* to,
                  ThreadPool& threads) {
  if (std::find(problem.sizes.begin(), problem.sizes.end(), 0) != problem.sizes.end()) return;
  switch (element_bytes) {
    case 1:
      return copy_axes_of<uint8_t>(problem, from, to, threads);
    case 2:
      return copy_axes_of<uint16_t>(problem, from, to, threads);
    case 4:
      return copy_axes_of<uint32_t>(problem, from, to, threads);
    case 8:
      return copy_axes_of<uint64_t>(problem, from, to, threads);
    default:
      check(false, "strided_copy: elements have 1, 2, 4 or 8 bytes");
  }
}

StridedCopy transpose(std::span<const int64_t> source_shape, std::span<const int64_t> permutation) {
  check(source_shape.size() == permutation.size() && source_shape.size() <= copy_axes,
        "transpose: one axis for each, at most six");
  std::array<int64_t, copy_axes> strides{};
  int64_t stride = 1;
  for (size_t k = source_shape.size(); k-- > 0; stride *= source_shape[k]) strides[k] = stride;
  StridedCopy copy;
  copy.sizes.fill(1), copy.from.fill(0), copy.to.fill(0);
  stride = 1;
  for (size_t k = permutation.size(); k-- > 0;) {
    const size_t axis = static_cast<size_t>(permutation[k]);
    copy.sizes[k] = source_shape[axis];
    copy.from[k] = strides[axis];
    copy.to[k] = stride;
    stride *= source_shape[axis];
  }
  return copy;
}

}  // namespace hornbeam
