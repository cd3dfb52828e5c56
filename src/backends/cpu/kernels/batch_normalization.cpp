#include "backends/cpu/kernels/batch_normalization.h"

#include <algorithm>
#include <cmath>

#include "backends/cpu/kernels/column_sums.h"
#include "backends/cpu/kernels/workspace.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/batch_normalization.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef HORNBEAM_BATCH_NORMALIZATION_TYPES
#define HORNBEAM_BATCH_NORMALIZATION_TYPES
namespace hornbeam {

// y = (x - mean) * scale + shift.
struct Normalizer {
  const float* mean;
  const float* scale;
  const float* shift;
};

// dx = scale * dy - offset - (x - mean) * slope.
struct InputGradient {
  const float* mean;
  const float* scale;
  const float* offset;
  const float* slope;
};

}  // namespace hornbeam
#endif

HWY_BEFORE_NAMESPACE();
namespace hornbeam {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE void normalize(D d, const Normalizer& n, const float* x, int64_t c, float* y) {
  const auto centered = hn::Sub(hn::LoadU(d, x + c), hn::LoadU(d, n.mean + c));
  hn::StoreU(hn::MulAdd(centered, hn::LoadU(d, n.scale + c), hn::LoadU(d, n.shift + c)), d, y + c);
}

void normalize_rows_vector(const Normalizer& n, const float* x, int64_t rows, int64_t channels,
                           float* y) {
  const hn::ScalableTag<float> wide;
  const hn::CappedTag<float, 1> one;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide));
  for (int64_t r = 0; r < rows; ++r, x += channels, y += channels) {
    int64_t c = 0;
    for (; c + lanes <= channels; c += lanes) normalize(wide, n, x, c, y);
    for (; c < channels; ++c) normalize(one, n, x, c, y);
  }
}

template <class D>
HWY_INLINE void differentiate(D d, const InputGradient& g, const float* x, const float* dy,
                              int64_t c, float* dx) {
  const auto centered = hn::Sub(hn::LoadU(d, x + c), hn::LoadU(d, g.mean + c));
  const auto direct =
      hn::MulSub(hn::LoadU(d, dy + c), hn::LoadU(d, g.scale + c), hn::LoadU(d, g.offset + c));
  hn::StoreU(hn::NegMulAdd(centered, hn::LoadU(d, g.slope + c), direct), d, dx + c);
}

void differentiate_rows_vector(const InputGradient& g, const float* x, const float* dy,
                               int64_t rows, int64_t channels, float* dx) {
  const hn::ScalableTag<float> wide;
  const hn::CappedTag<float, 1> one;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide));
  for (int64_t r = 0; r < rows; ++r, x += channels, dy += channels, dx += channels) {
    int64_t c = 0;
    for (; c + lanes <= channels; c += lanes) differentiate(wide, g, x, dy, c, dx);
    for (; c < channels; ++c) differentiate(one, g, x, dy, c, dx);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hornbeam
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hornbeam {

HWY_EXPORT(normalize_rows_vector);
HWY_EXPORT(differentiate_rows_vector);

namespace {

// A chunk of rows stays in the second-level cache between its two readings.
struct Plan {
  explicit Plan(const BatchNormalization& p, void* workspace = nullptr)
      : chunk_rows(std::clamp<int64_t>(24576 / std::max<int64_t>(1, p.channels), 8, 1024)),
        chunks(divide_up(p.valid_rows, chunk_rows)) {
    WorkspaceCutter cutter(workspace);
    first = cutter.take(chunks * p.channels);
    second = cutter.take(chunks * p.channels);
    third = cutter.take(chunks * p.channels);
    for (float*& each : per_channel) each = cutter.take(p.channels);
    bytes = cutter.bytes();
  }
  int64_t rows_of(const BatchNormalization& p, int64_t chunk) const {
    return std::min(chunk_rows, p.valid_rows - chunk * chunk_rows);
  }

  int64_t chunk_rows;
  int64_t chunks;
  float* first;   // (chunks, channels): means, or sums of dy
  float* second;  // (chunks, channels): centred squares, or sums of dy * (x - mean)
  float* third;   // (chunks, channels): centred sums, what the rounding of the means left over
  float* per_channel[3];
  int64_t bytes;
};

constexpr int64_t channel_group = 16;

template <class Work>
void for_each_channel(const BatchNormalization& p, ThreadPool& threads, Work&& work) {
  threads.run(divide_up(p.channels, channel_group), [&](int64_t group, int) {
    const int64_t end = std::min(p.channels, (group + 1) * channel_group);
    for (int64_t c = group * channel_group; c < end; ++c) work(c);
  });
}

template <class Work>
void for_each_row_piece(const BatchNormalization& p, const Plan& plan, int64_t rows,
                        ThreadPool& threads, Work&& work) {
  threads.run(divide_up(rows, plan.chunk_rows), [&](int64_t piece, int) {
    const int64_t row = piece * plan.chunk_rows;
    work(row * p.channels, std::min(plan.chunk_rows, rows - row));
  });
}

void measure_chunks(const BatchNormalization& p, const Plan& plan, const float* x,
                    ThreadPool& threads) {
  threads.run(plan.chunks, [&](int64_t chunk, int) {
    const float* rows = x + chunk * plan.chunk_rows * p.channels;
    const int64_t count = plan.rows_of(p, chunk);
    float* mean = plan.first + chunk * p.channels;
    column_sums(rows, count, p.channels, mean);
    for (int64_t c = 0; c < p.channels; ++c) mean[c] /= static_cast<float>(count);
    column_centered_squares(rows, mean, count, p.channels, plan.second + chunk * p.channels);
    column_centered_sums(rows, mean, count, p.channels, plan.third + chunk * p.channels);
  });
}

struct Moments {
  double mean = 0;
  double variance = 0;
};

// A chunk's mean as rounded, put right by what the values still sum to around it.
double chunk_mean(const BatchNormalization& p, const Plan& plan, int64_t chunk, int64_t channel) {
  const int64_t at = chunk * p.channels + channel;
  return plan.first[at] + plan.third[at] / static_cast<double>(plan.rows_of(p, chunk));
}

// The squares about a chunk's rounded mean, moved to `mean`.
double chunk_squares(const BatchNormalization& p, const Plan& plan, int64_t chunk, int64_t channel,
                     double mean) {
  const double rows = static_cast<double>(plan.rows_of(p, chunk));
  const int64_t at = chunk * p.channels + channel;
  const double left_over = plan.third[at] / rows, off = plan.first[at] + left_over - mean;
  return plan.second[at] + rows * (off * off - left_over * left_over);
}

Moments merge_chunks(const BatchNormalization& p, const Plan& plan, int64_t channel) {
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

double column_total(const BatchNormalization& p, const Plan& plan, const float* partial,
                    int64_t channel) {
  double total = 0;
  for (int64_t chunk = 0; chunk < plan.chunks; ++chunk)
    total += partial[chunk * p.channels + channel];
  return total;
}

}  // namespace

int64_t batch_normalization_workspace(const BatchNormalization& problem, int) {
  BatchNormalization fullest = problem;
  fullest.valid_rows = problem.rows;
  return Plan(fullest).bytes;
}

void batch_normalization_forward(const BatchNormalization& problem, const float* x,
                                 const float* gamma, const float* beta, float* y,
                                 const BatchStatistics& statistics, void* workspace,
                                 ThreadPool& threads) {
  const Plan plan(problem, workspace);
  float *scale = plan.per_channel[0], *shift = plan.per_channel[1];
  measure_chunks(problem, plan, x, threads);
  for_each_channel(problem, threads, [&](int64_t c) {
    const Moments moments = merge_chunks(problem, plan, c);
    const double inverse = 1 / std::sqrt(moments.variance + double{problem.epsilon});
    statistics.mean[c] = static_cast<float>(moments.mean);
    statistics.variance[c] = static_cast<float>(moments.variance);
    statistics.inverse_stddev[c] = static_cast<float>(inverse);
    scale[c] = static_cast<float>(inverse * (gamma ? gamma[c] : 1.0f));
    shift[c] = beta ? beta[c] : 0.0f;
  });
  for_each_row_piece(problem, plan, problem.rows, threads, [&](int64_t at, int64_t rows) {
    HWY_DYNAMIC_DISPATCH(normalize_rows_vector)
    ({statistics.mean, scale, shift}, x + at, rows, problem.channels, y + at);
  });
}

// With n valid rows and x^ = (x - mean) * inverse_stddev:
// dx = gamma * inverse_stddev * (dy - sum(dy) / n - x^ * sum(dy * x^) / n).
void batch_normalization_backward(const BatchNormalization& problem, const float* x,
                                  const float* dy, const float* mean, const float* inverse_stddev,
                                  const float* gamma, const BatchGradients& gradients,
                                  void* workspace, ThreadPool& threads) {
  const Plan plan(problem, workspace);
  const int64_t channels = problem.channels;
  float *scale = plan.per_channel[0], *offset = plan.per_channel[1], *slope = plan.per_channel[2];
  threads.run(plan.chunks, [&](int64_t chunk, int) {
    const int64_t at = chunk * plan.chunk_rows * channels, rows = plan.rows_of(problem, chunk);
    column_sums(dy + at, rows, channels, plan.first + chunk * channels);
    column_centered_products(x + at, mean, dy + at, rows, channels, plan.second + chunk * channels);
  });
  for_each_channel(problem, threads, [&](int64_t c) {
    const double sum = column_total(problem, plan, plan.first, c);
    const double inverse = inverse_stddev[c];
    const double sum_normalized = column_total(problem, plan, plan.second, c) * inverse;
    const double factor = inverse * (gamma ? gamma[c] : 1.0f);
    const double n = static_cast<double>(std::max<int64_t>(1, problem.valid_rows));
    if (gradients.beta) gradients.beta[c] = static_cast<float>(sum);
    if (gradients.gamma) gradients.gamma[c] = static_cast<float>(sum_normalized);
    scale[c] = static_cast<float>(factor);
    offset[c] = static_cast<float>(factor * sum / n);
    slope[c] = static_cast<float>(factor * inverse * sum_normalized / n);
  });
  for_each_row_piece(problem, plan, problem.valid_rows, threads, [&](int64_t at, int64_t rows) {
    HWY_DYNAMIC_DISPATCH(differentiate_rows_vector)
    ({mean, scale, offset, slope}, x + at, dy + at, rows, channels, gradients.x + at);
  });
  std::fill(gradients.x + problem.valid_rows * channels, gradients.x + problem.rows * channels,
            0.0f);
}

}  // namespace hornbeam
#endif  // HWY_ONCE
