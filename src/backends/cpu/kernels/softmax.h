// Softmax and log-softmax along the rows of (rows, columns) data. The largest
// value of a row is subtracted first, so nothing overflows. Outputs may be the memory of an input.
#pragma once

#include <cstdint>

#include "base/threads.h"

namespace hornbeam {

void softmax(int64_t rows, int64_t columns, const float* x, float* y, ThreadPool& threads);

void log_softmax(int64_t rows, int64_t columns, const float* x, float* y, ThreadPool& threads);

}  // namespace hornbeam
