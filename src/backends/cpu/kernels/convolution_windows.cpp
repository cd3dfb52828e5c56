#include "backends/cpu/kernels/convolution_windows.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace hornbeam {
namespace {

// Most runs are a few floats long: a call of memcpy would cost more than the copy.
void copy_run(const float* from, int64_t count, float* to) {
  if (count >= 48) {
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(float));
    return;
  }
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) std::memcpy(to + i, from + i, 4 * sizeof(float));
  for (; i < count; ++i) to[i] = from[i];
}

void zero_run(int64_t count, float* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = 0;
}

// Copies [begin, begin + count) of an array of `size`; zeros outside it.
void copy_clipped(const float* from, int64_t size, int64_t begin, int64_t count, float* to) {
  const int64_t low = std::clamp<int64_t>(-begin, 0, count);
  const int64_t high = std::clamp<int64_t>(size - begin, low, count);
  zero_run(low, to);
  copy_run(from + begin + low, high - low, to + low);
  zero_run(count - high, to + high);
}

bool inside(int64_t index, int64_t size) { return index >= 0 && index < size; }

// Columns [begin, end) of one row of taps of one window; column 0 is its first tap's first channel.
void gather_tap_row(const Windows& w, const float* line, int64_t x, int64_t begin, int64_t end,
                    float* to) {
  if (w.x.tap_step == 1 && w.channels == w.source_channels)
    return copy_clipped(line, w.x.source_size * w.channels, w.x.source(x, 0) * w.channels + begin,
                        end - begin, to);
  for (int64_t k = begin; k < end;) {
    const int64_t tap = k / w.channels, channel = k % w.channels;
    const int64_t count = std::min(end - k, w.channels - channel);
    const int64_t column = w.x.source(x, tap);
    if (inside(column, w.x.source_size))
      copy_run(line + column * w.source_channels + channel, count, to);
    else
      zero_run(count, to);
    k += count;
    to += count;
  }
}

void gather_window(const Windows& w, const float* picture, int64_t y, int64_t x, int64_t begin,
                   int64_t end, float* to) {
  const int64_t tap_row = w.x.taps * w.channels;
  for (int64_t k = begin; k < end;) {
    const int64_t tap = k / tap_row;
    const int64_t stop = std::min(end, (tap + 1) * tap_row);
    const int64_t line = w.y.source(y, tap);
    if (inside(line, w.y.source_size))
      gather_tap_row(w, picture + line * w.x.source_size * w.source_channels, x, k - tap * tap_row,
                     stop - tap * tap_row, to);
    else
      zero_run(stop - k, to);
    to += stop - k;
    k = stop;
  }
}

}  // namespace

WindowAxis forward_axis(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t padding,
                        int64_t dilation) {
  return {.size = out,
          .source_size = in,
          .source_step = stride,
          .taps = kernel,
          .tap_offset = -padding,
          .tap_step = dilation,
          .first_kernel = 0,
          .kernel_step = 1,
          .destination_size = out,
          .first = 0,
          .step = 1};
}

// Output o saw input o * stride + k * dilation - padding; solved for o, only those k count for
// which it is a whole number. They lie stride / gcd(stride, dilation) apart.
WindowAxis backward_axis(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t padding,
                         int64_t dilation, int64_t residue) {
  const int64_t apart = stride / std::gcd(stride, dilation);
  int64_t first = 0;
  while (first < apart && (residue + padding - first * dilation) % stride != 0) ++first;
  const bool seen = first < std::min(apart, kernel);
  return {.size = (in - residue + stride - 1) / stride,
          .source_size = out,
          .source_step = 1,
          .taps = seen ? (kernel - first + apart - 1) / apart : 0,
          .tap_offset = seen ? (residue + padding - first * dilation) / stride : 0,
          .tap_step = -apart * dilation / stride,
          .first_kernel = first,
          .kernel_step = apart,
          .destination_size = in,
          .first = residue,
          .step = stride};
}

Windows forward_windows(const Convolution& p) {
  return {.y = forward_axis(p.height, p.out_height(), p.kernel_height, p.stride_height,
                            p.padding_top, p.dilation_height),
          .x = forward_axis(p.width, p.out_width(), p.kernel_width, p.stride_width, p.padding_left,
                            p.dilation_width),
          .batch = p.batch,
          .channels = p.in_channels / p.groups,
          .source_channels = p.in_channels};
}

Windows backward_windows(const Convolution& p, int64_t residue_y, int64_t residue_x) {
  return {.y = backward_axis(p.height, p.out_height(), p.kernel_height, p.stride_height,
                             p.padding_top, p.dilation_height, residue_y),
          .x = backward_axis(p.width, p.out_width(), p.kernel_width, p.stride_width, p.padding_left,
                             p.dilation_width, residue_x),
          .batch = p.batch,
          .channels = p.out_channels / p.groups,
          .source_channels = p.out_channels};
}

void gather_windows(const Windows& windows, const float* source, int64_t row, int64_t rows,
                    int64_t begin, int64_t end, float* to, int64_t leading) {
  int64_t x = row % windows.x.size;
  int64_t y = row / windows.x.size % windows.y.size;
  const float* picture =
      source + row / (windows.x.size * windows.y.size) * windows.source_floats_per_picture();
  for (int64_t i = 0; i < rows; ++i, to += leading) {
    gather_window(windows, picture, y, x, begin, end, to);
    if (++x < windows.x.size) continue;
    x = 0;
    if (++y < windows.y.size) continue;
    y = 0;
    picture += windows.source_floats_per_picture();
  }
}

}  // namespace hornbeam
