#include "backends/cpu/kernels/gather.h"

#include <algorithm>

#include "backends/cpu/kernels/workspace.h"

namespace hornbeam {
namespace {

template <class Index>
int64_t first_bad(const Index* indices, int64_t count, int64_t rows) {
  for (int64_t i = 0; i < count; ++i)
    if (indices[i] < 0 || indices[i] >= rows) return i;
  return -1;
}

template <class Index>
void gather(const RowTable& shape, const float* table, const Index* indices, int64_t count,
            float* y, ThreadPool& threads) {
  const int64_t group = std::max<int64_t>(1, 8192 / std::max<int64_t>(1, shape.columns));
  threads.run(divide_up(count, group), [&](int64_t piece, int) {
    const int64_t end = std::min(count, (piece + 1) * group);
    for (int64_t i = piece * group; i < end; ++i)
      std::copy_n(table + indices[i] * shape.columns, shape.columns, y + i * shape.columns);
  });
}

// A piece owns a range of the table's rows and looks through all indices, so that equal ones are
// added in their order whoever does it.
template <class Index>
void scatter(const RowTable& shape, const float* x, const Index* indices, int64_t count,
             float* table, ThreadPool& threads) {
  constexpr int64_t most_pieces = 8;
  const int64_t range = std::max<int64_t>(1, divide_up(shape.rows, most_pieces));
  threads.run(divide_up(shape.rows, range), [&](int64_t piece, int) {
    const int64_t begin = piece * range, end = begin + range;
    for (int64_t i = 0; i < count; ++i) {
      if (indices[i] < begin || indices[i] >= end) continue;
      float* row = table + indices[i] * shape.columns;
      const float* add = x + i * shape.columns;
      for (int64_t c = 0; c < shape.columns; ++c) row[c] += add[c];
    }
  });
}

}  // namespace

int64_t first_bad_index(const int32_t* indices, int64_t count, int64_t rows) {
  return first_bad(indices, count, rows);
}

int64_t first_bad_index(const int64_t* indices, int64_t count, int64_t rows) {
  return first_bad(indices, count, rows);
}

void gather_rows(const RowTable& shape, const float* table, const int32_t* indices, int64_t count,
                 float* y, ThreadPool& threads) {
  gather(shape, table, indices, count, y, threads);
}

void gather_rows(const RowTable& shape, const float* table, const int64_t* indices, int64_t count,
                 float* y, ThreadPool& threads) {
  gather(shape, table, indices, count, y, threads);
}

void scatter_add_rows(const RowTable& shape, const float* x, const int32_t* indices, int64_t count,
                      float* table, ThreadPool& threads) {
  scatter(shape, x, indices, count, table, threads);
}

void scatter_add_rows(const RowTable& shape, const float* x, const int64_t* indices, int64_t count,
                      float* table, ThreadPool& threads) {
  scatter(shape, x, indices, count, table, threads);
}

}  // namespace hornbeam
