// The inner part of every matrix product: packing an operand into panels, and the product of blocks
// that live in the caches. Single-threaded; owns nothing. The callers (gemm, convolution) cut the
// work.
//
// The innermost loop holds a tile of C, `micro_tile()` in size, in registers. It reads B in panels
// as wide as that tile, stored depth by depth; A is read element by element at any strides, or
// packed.
#pragma once

#include <cstdint>

namespace hornbeam {

struct MicroTile {
  int64_t rows;
  int64_t columns;  // also the width of a packed panel of B
};

MicroTile micro_tile();  // of the instruction set in use

// How much of a long depth to do at a time: a panel of B of that depth fills most of the
// first-level cache. At least 1.
int64_t depth_block(int64_t depth);

// A matrix in memory: element (i, j) is data[i * row_stride + j * column_stride].
struct MatrixView {
  const float* data;
  int64_t row_stride;
  int64_t column_stride;

  MatrixView at(int64_t row, int64_t column) const {
    return {data + row * row_stride + column * column_stride, row_stride, column_stride};
  }
};

// Packs B (depth, columns) into panels; the last is filled up with zeros. One of B's strides must
// be
// 1. Panel p begins at packed + p * panel_stride, a multiple of 16 that is at least
// depth * micro_tile().columns; more leaves room for depths packed by other calls. `packed` is
// 64-byte aligned.
void pack_columns(const MatrixView& b, int64_t depth, int64_t columns, float* packed,
                  int64_t panel_stride);

// Packs A (rows, depth) for a BlockProduct with the same number of rows, whose A is then
// {packed, 0, 0}. Needs rows * depth + packed_rows_slack floats.
void pack_rows(const MatrixView& a, int64_t rows, int64_t depth, float* packed);
inline constexpr int64_t packed_rows_slack = 16;

// C (rows, columns) = A (rows, depth) · B (depth, columns), plus C itself or a bias for each
// column.
struct BlockProduct {
  int64_t rows;
  int64_t columns;
  int64_t depth;
  MatrixView a;          // one stride is 1; strides {0, 0}: packed by pack_rows
  const float* b;        // packed by pack_columns
  int64_t panel_stride;  // floats from a panel of B to the next
  float* c;
  int64_t c_row_stride;  // the columns of C are contiguous
  bool accumulate = false;
  const float* bias = nullptr;  // `columns` values; not together with accumulate
  // How many products are summed in one chain; the sums of chains are added up in C. The rounding
  // of a sum grows with the square root of its chain. 0: all of them in one chain.
  int64_t chain = 0;
};

void multiply_block(const BlockProduct& product);

}  // namespace hornbeam
