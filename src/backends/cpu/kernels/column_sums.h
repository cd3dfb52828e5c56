// Sums down the columns of a block of rows: the vector loops that reductions and batch
// normalisation share. Single-threaded; rows are contiguous. Four rows are added to each other
// first, then to the sum.
#pragma once

#include <cstdint>

namespace hornbeam {

// sums[c] = sum of x[r][c].
void column_sums(const float* x, int64_t rows, int64_t columns, float* sums);

// sums[c] = sum of x[r][c] * y[r][c].
void column_products(const float* x, const float* y, int64_t rows, int64_t columns, float* sums);

// sums[c] = sum of x[r][c] - center[c], and of its square.
void column_centered_sums(const float* x, const float* center, int64_t rows, int64_t columns,
                          float* sums);
void column_centered_squares(const float* x, const float* center, int64_t rows, int64_t columns,
                             float* sums);

// Sum of x[i], and of x[i] * y[i].
float row_sum(const float* x, int64_t count);
float row_product(const float* x, const float* y, int64_t count);

}  // namespace hornbeam
