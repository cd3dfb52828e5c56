// How much each sample of a slice counts, for losses and metrics.
#pragma once

#include "ir/builder.h"

namespace hornbeam {

struct SampleWeights {
  Expr real;     // float32 (batch): 1 for a sample, 0 for the filling of a last, smaller batch
  Expr given;    // float32 (batch), (batch, 1) or (batch, positions); empty when all count the same
  Expr samples;  // float32 scalar: the real samples of the whole batch, over all slices

  // Real samples only, times what is given. values: (batch) or (batch, positions).
  Expr applied_to(Expr values) const;
  // The sum of the given weights of real samples, or of ones: over this slice.
  Expr sum() const;
};

// 0 where the divisor is 0.
Expr divide_or_zero(Expr dividend, Expr divisor);

}  // namespace hornbeam
