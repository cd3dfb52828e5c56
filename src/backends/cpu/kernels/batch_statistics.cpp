#include "backends/cpu/kernels/batch_statistics.h"

#include <algorithm>

#include "backends/cpu/kernels/column_sums.h"
#include "backends/cpu/kernels/workspace.h"

namespace hornbeam {
namespace {

// A chunk of rows stays in the second-level cache between its two readings.
struct Plan {
  explicit Plan(const BatchStatistics& p, void* workspace = nullptr)
      : chunk_rows(std::clamp<int64_t>(24576 / std::max<int64_t>(1, p.channels), 8, 1024)),
        chunks(divide_up(p.valid_rows, chunk_rows)) {
    WorkspaceCutter cutter(workspace);
    means = cutter.take(chunks * p.channels);
    squares = cutter.take(chunks * p.channels);
    left_over = cutter.take(chunks * p.channels);
    bytes = cutter.bytes();
  }
  int64_t rows_of(const BatchStatistics& p, int64_t chunk) const {
    return std::min(chunk_rows, p.valid_rows - chunk * chunk_rows);
  }

  int64_t chunk_rows;
  int64_t chunks;
  float* means;      // (chunks, channels)
  float* squares;    // (chunks, channels): centred
  float* left_over;  // (chunks, channels): centred sums, what the rounding of the means left
  int64_t bytes;
};

constexpr int64_t channel_group = 16;

template <class Work>
void for_each_channel(const BatchStatistics& p, ThreadPool& threads, Work&& work) {
  threads.run(divide_up(p.channels, channel_group), [&](int64_t group, int) {
    const int64_t end = std::min(p.channels, (group + 1) * channel_group);
    for (int64_t c = group * channel_group; c < end; ++c) work(c);
  });
}

void measure_chunks(const BatchStatistics& p, const Plan& plan, const float* x,
                    ThreadPool& threads) {
  threads.run(plan.chunks, [&](int64_t chunk, int) {
    const float* rows = x + chunk * plan.chunk_rows * p.channels;
    const int64_t count = plan.rows_of(p, chunk);
    float* mean = plan.means + chunk * p.channels;
    column_sums(rows, count, p.channels, mean);
    for (int64_t c = 0; c < p.channels; ++c) mean[c] /= static_cast<float>(count);
    column_centered_squares(rows, mean, count, p.channels, plan.squares + chunk * p.channels);
    column_centered_sums(rows, mean, count, p.channels, plan.left_over + chunk * p.channels);
  });
}

struct Moments {
  double mean = 0;
  double variance = 0;
};

// A chunk's mean as rounded, put right by what the values still sum to around it.
double chunk_mean(const BatchStatistics& p, const Plan& plan, int64_t chunk, int64_t channel) {
  const int64_t at = chunk * p.channels + channel;
  return plan.means[at] + plan.left_over[at] / static_cast<double>(plan.rows_of(p, chunk));
}

// The squares about a chunk's rounded mean, moved to `mean`.
double chunk_squares(const BatchStatistics& p, const Plan& plan, int64_t chunk, int64_t channel,
                     double mean) {
  const double rows = static_cast<double>(plan.rows_of(p, chunk));
  const int64_t at = chunk * p.channels + channel;
  const double left_over = plan.left_over[at] / rows, off = plan.means[at] + left_over - mean;
  return plan.squares[at] + rows * (off * off - left_over * left_over);
}

Moments merge_chunks(const BatchStatistics& p, const Plan& plan, int64_t channel) {
  Moments moments;
  const double count = static_cast<double>(p.valid_rows);
  for (int64_t chunk = 0; chunk < plan.chunks; ++chunk)
    moments.mean +=
        chunk_mean(p, plan, chunk, channel) * (static_cast<double>(plan.rows_of(p, chunk)) / count);
  for (int64_t chunk = 0; chunk < plan.chunks; ++chunk)
    moments.variance += chunk_squares(p, plan, chunk, channel, moments.mean) / count;
  moments.variance = moments.variance < 0 ? 0 : moments.variance;
  return moments;
}

}  // namespace

int64_t batch_statistics_workspace(const BatchStatistics& problem) {
  BatchStatistics fullest = problem;
  fullest.valid_rows = problem.rows;
  return Plan(fullest).bytes;
}

void batch_statistics(const BatchStatistics& problem, const float* x, float* mean, float* variance,
                      void* workspace, ThreadPool& threads) {
  const Plan plan(problem, workspace);
  measure_chunks(problem, plan, x, threads);
  for_each_channel(problem, threads, [&](int64_t c) {
    const Moments moments = merge_chunks(problem, plan, c);
    mean[c] = static_cast<float>(moments.mean);
    variance[c] = static_cast<float>(moments.variance);
  });
}

}  // namespace hornbeam
