#include "backends/cpu/kernels/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cpu/kernels/column_sums.h"
#include "backends/cpu/kernels/workspace.h"
#include "base/error.h"

namespace hornbeam {
namespace {

constexpr int64_t piece_floats = 16384;
constexpr int64_t most_chunks = 64;

float neutral(Reduction reduction) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  switch (reduction) {
    case Reduction::sum:
    case Reduction::logical_or:
      return 0;
    case Reduction::product:
    case Reduction::logical_and:
      return 1;
    case Reduction::maximum:
      return -infinity;
    case Reduction::minimum:
      return infinity;
  }
  __builtin_unreachable();
}

template <Reduction reduction>
float combine(float a, float b) {
  if constexpr (reduction == Reduction::sum) return a + b;
  if constexpr (reduction == Reduction::product) return a * b;
  if constexpr (reduction == Reduction::maximum) return a != a || a > b ? a : b;
  if constexpr (reduction == Reduction::minimum) return a != a || a < b ? a : b;
  if constexpr (reduction == Reduction::logical_and) return a != 0 && b != 0 ? 1.0f : 0.0f;
  return a != 0 || b != 0 ? 1.0f : 0.0f;
}

// How the reduced axis is cut.
struct Chunks {
  explicit Chunks(const Reduce& p) {
    const int64_t rows = std::max<int64_t>(1, piece_floats / std::max<int64_t>(1, p.inner));
    length = std::max<int64_t>({1, rows, divide_up(p.reduced, most_chunks)});
    count = std::max<int64_t>(1, divide_up(p.reduced, length));
  }
  int64_t length;
  int64_t count;
};

template <Reduction reduction>
void reduce_block_plainly(const float* x, int64_t rows, int64_t inner, float* y) {
  std::fill_n(y, inner, neutral(reduction));
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t i = 0; i < inner; ++i) y[i] = combine<reduction>(y[i], x[r * inner + i]);
}

void sum_block(const float* x, const float* times, int64_t rows, int64_t inner, float* y) {
  if (inner == 1)
    *y = times ? row_product(x, times, rows) : row_sum(x, rows);
  else if (times)
    column_products(x, times, rows, inner, y);
  else
    column_sums(x, rows, inner, y);
}

template <Reduction reduction>
void combine_rows(float* to, const float* from, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = combine<reduction>(to[i], from[i]);
}

template <Reduction reduction>
void reduce_with(const Reduce& p, const float* x, const float* times, float* y, float* partial,
                 ThreadPool& threads) {
  const Chunks chunks(p);
  const int64_t block = p.reduced * p.inner;
  const auto part = [&](int64_t outer, int64_t chunk, float* to) {
    const int64_t begin = chunk * chunks.length;
    const int64_t rows = std::min(chunks.length, p.reduced - begin);
    const int64_t at = outer * block + begin * p.inner;
    if constexpr (reduction == Reduction::sum)
      sum_block(x + at, times ? times + at : nullptr, rows, p.inner, to);
    else
      reduce_block_plainly<reduction>(x + at, rows, p.inner, to);
  };
  if (chunks.count == 1) {
    const int64_t group = std::max<int64_t>(1, piece_floats / std::max<int64_t>(1, block));
    threads.run(divide_up(p.outer, group), [&](int64_t piece, int) {
      const int64_t end = std::min(p.outer, (piece + 1) * group);
      for (int64_t outer = piece * group; outer < end; ++outer) part(outer, 0, y + outer * p.inner);
    });
    return;
  }
  threads.run(p.outer * chunks.count, [&](int64_t piece, int) {
    part(piece / chunks.count, piece % chunks.count, partial + piece * p.inner);
  });
  threads.run(p.outer, [&](int64_t outer, int) {
    float* rows = partial + outer * chunks.count * p.inner;
    for (int64_t step = 1; step < chunks.count; step *= 2)
      for (int64_t to = 0; to + step < chunks.count; to += 2 * step)
        combine_rows<reduction>(rows + to * p.inner, rows + (to + step) * p.inner, p.inner);
    std::copy_n(rows, p.inner, y + outer * p.inner);
  });
}

}  // namespace

int64_t reduce_workspace(const Reduce& problem, int) {
  const Chunks chunks(problem);
  if (chunks.count == 1) return 0;
  return problem.outer * chunks.count * problem.inner * static_cast<int64_t>(sizeof(float));
}

void reduce(const Reduce& problem, const float* x, const float* times, float* y, void* workspace,
            ThreadPool& threads) {
  check(!times || problem.reduction == Reduction::sum, "reduce: only sums take a factor");
  float* partial = static_cast<float*>(workspace);
  switch (problem.reduction) {
    case Reduction::sum:
      return reduce_with<Reduction::sum>(problem, x, times, y, partial, threads);
    case Reduction::product:
      return reduce_with<Reduction::product>(problem, x, times, y, partial, threads);
    case Reduction::maximum:
      return reduce_with<Reduction::maximum>(problem, x, times, y, partial, threads);
    case Reduction::minimum:
      return reduce_with<Reduction::minimum>(problem, x, times, y, partial, threads);
    case Reduction::logical_and:
      return reduce_with<Reduction::logical_and>(problem, x, times, y, partial, threads);
    case Reduction::logical_or:
      return reduce_with<Reduction::logical_or>(problem, x, times, y, partial, threads);
  }
}

}  // namespace hornbeam
