// Mean and biased variance of each channel of (rows, channels) data.
//
// They come from the first `valid_rows` rows; the rest pads the last batch of an epoch. Each chunk
// of rows is centred on its own mean while it is in the cache and the chunks are merged in double
// precision, so a mean far from zero does not spoil the variance. With no valid row both are 0.
#pragma once

#include <cstdint>

#include "base/threads.h"

namespace hornbeam {

struct BatchStatistics {
  int64_t rows = 0;
  int64_t channels = 0;
  int64_t valid_rows = 0;  // at most rows
};

// Bytes needed beside the operands for any number of valid rows.
int64_t batch_statistics_workspace(const BatchStatistics& problem);

void batch_statistics(const BatchStatistics& problem, const float* x, float* mean, float* variance,
                      void* workspace, ThreadPool& threads);

}  // namespace hornbeam
