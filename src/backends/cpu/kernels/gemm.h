// Matrix products of float32: C = op(A) · op(B), plus C itself or a bias for each column.
//
// Matrices are row-major with any distance between rows. Work is cut by shape alone and sums have a
// fixed order, so the bits do not depend on the number of threads. Nothing is allocated: the caller
// owns all memory, the workspace too.
#pragma once

#include <cstdint>

#include "base/threads.h"

namespace hornbeam {

struct Gemm {
  int64_t rows = 0;          // of C and op(A)
  int64_t columns = 0;       // of C and op(B)
  int64_t depth = 0;         // columns of op(A), rows of op(B); 0 gives zeros (or the bias, or C)
  bool transpose_a = false;  // A is stored (depth, rows)
  bool transpose_b = false;  // B is stored (columns, depth)
  int64_t leading_a = 0;     // floats from one stored row to the next; at least the row's length
  int64_t leading_b = 0;
  int64_t leading_c = 0;
  bool accumulate = false;  // C += instead of C =

  int64_t batch = 1;  // independent products; floats from one to the next (0 shares an operand)
  int64_t batch_stride_a = 0;
  int64_t batch_stride_b = 0;
  int64_t batch_stride_c = 0;
};

// A product of dense matrices: leading distances are the lengths of the rows.
Gemm dense_gemm(int64_t rows, int64_t columns, int64_t depth, bool transpose_a = false,
                bool transpose_b = false);

// Bytes that `gemm` needs beside its operands.
int64_t gemm_workspace(const Gemm& problem, int threads);

// `bias` has `columns` values or is null; it excludes accumulate. C must not overlap A or B.
// `workspace` is 64-byte aligned.
void gemm(const Gemm& problem, const float* a, const float* b, const float* bias, float* c,
          void* workspace, ThreadPool& threads);

}  // namespace hornbeam
