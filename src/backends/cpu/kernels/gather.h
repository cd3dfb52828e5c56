// Rows of a table by index (embeddings), and the sum of rows back into a table.
#pragma once

#include <cstdint>

#include "base/threads.h"

namespace hornbeam {

struct RowTable {
  int64_t rows;
  int64_t columns;
};

// The first position whose index is outside 0 … rows - 1, or -1 if all are inside.
int64_t first_bad_index(const int32_t* indices, int64_t count, int64_t rows);
int64_t first_bad_index(const int64_t* indices, int64_t count, int64_t rows);

// y[i] = table[indices[i]]. All indices must be inside.
void gather_rows(const RowTable& shape, const float* table, const int32_t* indices, int64_t count,
                 float* y, ThreadPool& threads);
void gather_rows(const RowTable& shape, const float* table, const int64_t* indices, int64_t count,
                 float* y, ThreadPool& threads);

// table[indices[i]] += x[i], equal indices in the order of i. All indices must be inside.
void scatter_add_rows(const RowTable& shape, const float* x, const int32_t* indices, int64_t count,
                      float* table, ThreadPool& threads);
void scatter_add_rows(const RowTable& shape, const float* x, const int64_t* indices, int64_t count,
                      float* table, ThreadPool& threads);

}  // namespace hornbeam
