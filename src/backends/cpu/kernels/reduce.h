// Reductions of float32 over the middle of a view (outer, reduced, inner): rows (inner 1), columns
// (outer 1) and everything between. Long reductions are cut into chunks by shape and combined in a
// fixed tree, so the bits do not depend on the number of threads.
#pragma once

#include <cstdint>

#include "base/threads.h"

namespace hornbeam {

// The logical ones take any number but 0 as true and give 1 or 0. Maximum and minimum of anything
// with NaN is NaN.
enum class Reduction { sum, product, maximum, minimum, logical_and, logical_or };

struct Reduce {
  Reduction reduction = Reduction::sum;
  int64_t outer = 1;
  int64_t reduced = 0;  // 0 gives the neutral element: 0, 1, -inf, inf, 1, 0
  int64_t inner = 1;
};

int64_t reduce_workspace(const Reduce& problem, int threads);

// y (outer, inner) = reduction of x, or of x * times where `times` is not null (sums only).
void reduce(const Reduce& problem, const float* x, const float* times, float* y, void* workspace,
            ThreadPool& threads);

}  // namespace hornbeam
