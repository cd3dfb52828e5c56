// Products with rows of A that are mostly zeros, as behind a ReLU or a dropout: only the other
// elements are kept and multiplied, in the order of their depth, so every sum is that of
// multiply_block (where B is finite: zero times infinity is not zero). Single-threaded; owns
// nothing.
//
// The depth is done in steps, so that six panels of B stay in the first-level cache while all rows
// pick from them.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/gemm_block.h"

namespace hornbeam {

// Memory for the rows of a block and for the sums of a thread between two steps. A part of at most
// `rows` and `depth` may be packed there.
int64_t sparse_rows_floats(int64_t rows, int64_t depth);
int64_t sparse_sums_floats(int64_t rows);

// Packs A (rows, depth) into `packed`, which is 64-byte aligned, and is true; is false, and leaves
// anything there, when there are too many elements for this to pay. One of A's strides must be 1;
// there are at most 16 * micro_tile().rows rows.
bool pack_sparse_rows(const MatrixView& a, int64_t rows, int64_t depth, float* packed);

// multiply_block, of an A that pack_sparse_rows packed at product.a.data.
void multiply_sparse_block(const BlockProduct& product, float* sums);

// Whether a packed operand has neither infinities nor NaN.
bool is_finite(const float* packed, int64_t floats);

}  // namespace hornbeam
