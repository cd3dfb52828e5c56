// A product of which only some elements are wanted: C = A · B^T where `kept` is not zero, zeros
// elsewhere (a sampled dense-dense product, SDDMM). So the gradient to a layer's input is made
// where the ReLU and the dropout behind it let it through.
//
// Rows of A and of B are multiplied as vectors; a few rows of B stay in the first-level cache while
// all rows of A pick from them. It pays while less than about a third is kept: where a sample of
// the rows shows more, the whole product is made first.
#pragma once

#include <cstdint>

#include "base/threads.h"

namespace hornbeam {

// All matrices are dense: A (rows, depth), B (columns, depth), kept and C (rows, columns).
struct SampledGemm {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;  // a multiple of 32
};

int64_t sampled_gemm_workspace(const SampledGemm& problem, int threads);

// C must not overlap any operand. `workspace` is 64-byte aligned.
void sampled_gemm(const SampledGemm& problem, const float* a, const float* b, const float* kept,
                  float* c, void* workspace, ThreadPool& threads);

}  // namespace hornbeam
