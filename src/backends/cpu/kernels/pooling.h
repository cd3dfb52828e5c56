// Max and average pooling of (batch, height, width, channels) pictures, and their gradients.
// Padding never counts: a maximum does not see it, an average divides by the pixels inside.
#pragma once

#include <cstdint>

#include "base/threads.h"

namespace hornbeam {

struct Pooling {
  int64_t batch = 0;
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
  int64_t window_height = 1;
  int64_t window_width = 1;
  int64_t stride_height = 1;
  int64_t stride_width = 1;
  int64_t padding_top = 0;
  int64_t padding_bottom = 0;
  int64_t padding_left = 0;
  int64_t padding_right = 0;

  int64_t out_height() const;
  int64_t out_width() const;
};

// A window that lies in the padding entirely gives -inf. NaN wins over every number.
void max_pooling(const Pooling& problem, const float* x, float* y, ThreadPool& threads);

// Each gradient goes to the first maximum of its window, row by row.
void max_pooling_gradient(const Pooling& problem, const float* x, const float* dy, float* dx,
                          ThreadPool& threads);

// A window that lies in the padding entirely gives 0.
void average_pooling(const Pooling& problem, const float* x, float* y, ThreadPool& threads);

void average_pooling_gradient(const Pooling& problem, const float* dy, float* dx,
                              ThreadPool& threads);

}  // namespace hornbeam
