// The geometry that forward and backward convolution share: a grid of pixels, each of which looks
// through a window of taps at a source picture, and the gathering of such windows into matrix rows.
//
// Going back through a stride of s, pixels fall into s * s classes that see different taps; each
// class is a grid of its own.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/convolution.h"

namespace hornbeam {

// One axis of a grid: position i with tap t looks at source i * source_step + tap_offset + t *
// tap_step (outside the picture it sees zero), multiplies with kernel index first_kernel + t *
// kernel_step, and belongs to destination first + i * step.
struct WindowAxis {
  int64_t size;  // positions
  int64_t source_size;
  int64_t source_step;
  int64_t taps;
  int64_t tap_offset;
  int64_t tap_step;
  int64_t first_kernel;
  int64_t kernel_step;
  int64_t destination_size;
  int64_t first;
  int64_t step;

  int64_t source(int64_t position, int64_t tap) const {
    return position * source_step + tap_offset + tap * tap_step;
  }
  int64_t kernel(int64_t tap) const { return first_kernel + tap * kernel_step; }
};

WindowAxis forward_axis(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t padding,
                        int64_t dilation);

// The input positions `residue`, `residue` + stride, … and the taps through which outputs saw them.
WindowAxis backward_axis(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t padding,
                         int64_t dilation, int64_t residue);

struct Windows {
  WindowAxis y, x;
  int64_t batch;
  int64_t channels;         // seen through a tap
  int64_t source_channels;  // from one source pixel to the next

  int64_t rows() const { return batch * y.size * x.size; }
  int64_t depth() const { return y.taps * x.taps * channels; }
  int64_t source_floats_per_picture() const {
    return y.source_size * x.source_size * source_channels;
  }
};

Windows forward_windows(const Convolution& problem);
Windows backward_windows(const Convolution& problem, int64_t residue_y, int64_t residue_x);

// Writes columns [begin, end) of window rows [row, row + rows): to[i * leading + k - begin]. A
// column is (tap_y, tap_x, channel). `source` points at the first channel.
void gather_windows(const Windows& windows, const float* source, int64_t row, int64_t rows,
                    int64_t begin, int64_t end, float* to, int64_t leading);

}  // namespace hornbeam
