// Batch normalisation of (rows, channels) data in training, and its gradient.
//
// Statistics come from the first `valid_rows` rows; the rest pads the last batch of an epoch. Each
// chunk of rows is centred on its own mean while it is in the cache and the chunks are merged in
// double precision, so a mean far from zero does not spoil the variance. With no valid row mean and
// variance are 0.
#pragma once

#include <cstdint>

#include "base/threads.h"

namespace hornbeam {

struct BatchNormalization {
  int64_t rows = 0;
  int64_t channels = 0;
  int64_t valid_rows = 0;  // at most rows
  float epsilon = 1e-3f;
};

// Bytes needed beside the operands by either function.
int64_t batch_normalization_workspace(const BatchNormalization& problem, int threads);

struct BatchStatistics {
  float* mean;            // (channels)
  float* variance;        // biased
  float* inverse_stddev;  // 1 / sqrt(variance + epsilon)
};

// y = (x - mean) * inverse_stddev * gamma + beta for all rows; null gamma is 1, null beta 0. y may
// be x.
void batch_normalization_forward(const BatchNormalization& problem, const float* x,
                                 const float* gamma, const float* beta, float* y,
                                 const BatchStatistics& statistics, void* workspace,
                                 ThreadPool& threads);

struct BatchGradients {
  float* x;      // rows that are not valid get 0; may be dy or x
  float* gamma;  // or null
  float* beta;   // or null
};

void batch_normalization_backward(const BatchNormalization& problem, const float* x,
                                  const float* dy, const float* mean, const float* inverse_stddev,
                                  const float* gamma, const BatchGradients& gradients,
                                  void* workspace, ThreadPool& threads);

}  // namespace hornbeam
