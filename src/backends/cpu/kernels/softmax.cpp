#include "backends/cpu/kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cpu/kernels/column_sums.h"
#include "backends/cpu/kernels/workspace.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/softmax.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// clang-format off: must follow highway.h
#include <hwy/contrib/math/math-inl.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace hornbeam {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// NaN if any value is.
float largest(const float* x, int64_t count) {
  float result = -std::numeric_limits<float>::infinity();
  for (int64_t i = 0; i < count; ++i)
    if (!(x[i] <= result)) result = x[i] != x[i] || result == result ? x[i] : result;
  return result;
}

// Of numbers up to 0, or NaN.
template <class D>
HWY_INLINE auto exp_below_zero(D d, hn::Vec<D> x) {
  const auto y = hn::Exp(d, hn::Max(x, hn::Set(d, -104.0f)));
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

template <class F>
HWY_INLINE void for_elements(int64_t count, const F& f) {
  const hn::ScalableTag<float> wide;
  const hn::CappedTag<float, 1> one;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) f(wide, i);
  for (; i < count; ++i) f(one, i);
}

// y = exp(x - shift); returns the sum.
float exponentials(const float* x, float shift, int64_t count, float* y) {
  for_elements(count, [&](auto d, int64_t i) HWY_ATTR {
    hn::StoreU(exp_below_zero(d, hn::Sub(hn::LoadU(d, x + i), hn::Set(d, shift))), d, y + i);
  });
  return row_sum(y, count);
}

void softmax_row_vector(const float* x, int64_t count, float* y) {
  const float sum = exponentials(x, largest(x, count), count, y);
  for_elements(count, [&](auto d, int64_t i) HWY_ATTR {
    hn::StoreU(hn::Div(hn::LoadU(d, y + i), hn::Set(d, sum)), d, y + i);
  });
}

// Sums exponentials in pieces, since y may be x.
void log_softmax_row_vector(const float* x, int64_t count, float* y) {
  constexpr int64_t piece = 256;
  float scratch[piece];
  const float shift = largest(x, count);
  float sum = 0;
  for (int64_t i = 0; i < count; i += piece)
    sum += exponentials(x + i, shift, std::min(piece, count - i), scratch);
  const float log_sum = std::log(sum);
  for_elements(count, [&](auto d, int64_t i) HWY_ATTR {
    const auto shifted = hn::Sub(hn::LoadU(d, x + i), hn::Set(d, shift));
    hn::StoreU(hn::Sub(shifted, hn::Set(d, log_sum)), d, y + i);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hornbeam
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hornbeam {

HWY_EXPORT(softmax_row_vector);
HWY_EXPORT(log_softmax_row_vector);

namespace {

template <class Row>
void for_each_row(int64_t rows, int64_t columns, ThreadPool& threads, Row&& row) {
  const int64_t group = std::max<int64_t>(1, 4096 / std::max<int64_t>(1, columns));
  threads.run(divide_up(rows, group), [&](int64_t piece, int) {
    const int64_t end = std::min(rows, (piece + 1) * group);
    for (int64_t r = piece * group; r < end; ++r) row(r * columns);
  });
}

}  // namespace

void softmax(int64_t rows, int64_t columns, const float* x, float* y, ThreadPool& threads) {
  for_each_row(rows, columns, threads, [&](int64_t at) {
    HWY_DYNAMIC_DISPATCH(softmax_row_vector)(x + at, columns, y + at);
  });
}

void log_softmax(int64_t rows, int64_t columns, const float* x, float* y, ThreadPool& threads) {
  for_each_row(rows, columns, threads, [&](int64_t at) {
    HWY_DYNAMIC_DISPATCH(log_softmax_row_vector)(x + at, columns, y + at);
  });
}

}  // namespace hornbeam
#endif  // HWY_ONCE
