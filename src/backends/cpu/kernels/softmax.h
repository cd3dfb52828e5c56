// Softmax and log-softmax along the rows of (rows, columns) data, and their gradients. The largest
// value of a row is subtracted first, so nothing overflows. Outputs may be the memory of an input.
#pragma once

#include <cstdint>

#include "base/threads.h"

namespace hornbeam {

void softmax(int64_t rows, int64_t columns, const float* x, float* y, ThreadPool& threads);

void log_softmax(int64_t rows, int64_t columns, const float* x, float* y, ThreadPool& threads);

// dx = y * (dy - sum(dy * y)), from the result y.
void softmax_gradient(int64_t rows, int64_t columns, const float* y, const float* dy, float* dx,
                      ThreadPool& threads);

// dx = dy - exp(y) * sum(dy), from the result y.
void log_softmax_gradient(int64_t rows, int64_t columns, const float* y, const float* dy, float* dx,
                          ThreadPool& threads);

}  // namespace hornbeam
