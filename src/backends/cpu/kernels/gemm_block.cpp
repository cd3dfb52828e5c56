#include "backends/cpu/kernels/gemm_block.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/gemm_block.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hornbeam {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::ScalableTag<float> wide;
using Wide = hn::Vec<decltype(wide)>;
constexpr hn::Full128<float> four;
constexpr hn::Full128<double> two_pairs;

constexpr int64_t lanes = static_cast<int64_t>(hn::MaxLanes(wide));
constexpr int64_t panel = 2 * lanes;
// As many accumulators as the registers hold beside two vectors of B.
constexpr int64_t tile_rows = HWY_TARGET == HWY_AVX3 ? 14 : 6;

// Rows are cut into tiles of nearly equal height: a last tile of one or two rows would run slowly.
struct RowTiles {
  explicit RowTiles(int64_t rows)
      : count((rows + tile_rows - 1) / tile_rows),
        height(count == 0 ? 0 : rows / count),
        taller(count == 0 ? 0 : rows % count) {}
  int64_t rows(int64_t tile) const { return height + (tile < taller ? 1 : 0); }
  int64_t count, height, taller;
};

// Where a row tile finds A.
struct RowSource {
  const float* data;
  int64_t row_stride;
  int64_t depth_stride;
};

struct TileOutput {
  float* c;
  int64_t row_stride;
  int64_t columns;  // at most `panel`
  bool accumulate;
  const float* bias;  // `panel` values, or null
};

template <int rows>
HWY_INLINE void store_tile(const Wide (&sum)[rows][2], const TileOutput& out) {
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
    float* c = out.c + r * out.row_stride;
    const Wide left = out.accumulate ? hn::Add(sum[r][0], hn::LoadU(wide, c)) : sum[r][0];
    const Wide right = out.accumulate ? hn::Add(sum[r][1], hn::LoadU(wide, c + lanes)) : sum[r][1];
    hn::StoreU(left, wide, c);
    hn::StoreU(right, wide, c + lanes);
  }
}

// The right edge of C, where a whole panel would write past the row.
template <int rows>
HWY_INLINE void store_edge(const Wide (&sum)[rows][2], const TileOutput& out) {
  alignas(64) float line[panel];
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
    hn::Store(sum[r][0], wide, line);
    hn::Store(sum[r][1], wide, line + lanes);
    float* c = out.c + r * out.row_stride;
    for (int64_t j = 0; j < out.columns; ++j) c[j] = out.accumulate ? c[j] + line[j] : line[j];
  }
}

// C tile = A tile · one panel of B. With `unit_rows` the rows of A are neighbours in memory.
template <int rows, bool unit_rows>
void multiply_tile(const RowSource& a, const float* HWY_RESTRICT b, int64_t depth,
                   const TileOutput& out) {
  const int64_t row_stride = unit_rows ? 1 : a.row_stride;
  const int64_t depth_stride = unit_rows ? a.depth_stride : 1;
  Wide sum[rows][2];
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
    sum[r][0] = out.bias ? hn::LoadU(wide, out.bias) : hn::Zero(wide);
    sum[r][1] = out.bias ? hn::LoadU(wide, out.bias + lanes) : hn::Zero(wide);
    hwy::Prefetch(out.c + r * out.row_stride);
  }
  const float* HWY_RESTRICT element = a.data;
  for (int64_t k = 0; k < depth; ++k) {
    const Wide left = hn::Load(wide, b);
    const Wide right = hn::Load(wide, b + lanes);
    b += panel;
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      const Wide value = hn::Set(wide, element[r * row_stride]);
      sum[r][0] = hn::MulAdd(value, left, sum[r][0]);
      sum[r][1] = hn::MulAdd(value, right, sum[r][1]);
    }
    element += depth_stride;
  }
  if (out.columns == panel)
    store_tile<rows>(sum, out);
  else
    store_edge<rows>(sum, out);
}

using TileFunction = void (*)(const RowSource&, const float*, int64_t, const TileOutput&);

template <bool unit_rows, size_t... index>
constexpr std::array<TileFunction, sizeof...(index)> tile_functions(std::index_sequence<index...>) {
  return {&multiply_tile<static_cast<int>(index) + 1, unit_rows>...};
}
constexpr auto unit_row_tiles = tile_functions<true>(std::make_index_sequence<tile_rows>());
constexpr auto unit_depth_tiles = tile_functions<false>(std::make_index_sequence<tile_rows>());

// One panel of B against all rows of A, over the depths of one chain.
void multiply_chain(const BlockProduct& product, const float* b, int64_t begin, int64_t depth,
                    TileOutput out) {
  const RowTiles tiles(product.rows);
  const bool packed = product.a.row_stride == 0 && product.a.column_stride == 0;
  const bool unit_rows = packed || (product.a.row_stride == 1 && product.a.column_stride != 1);
  const auto& functions = unit_rows ? unit_row_tiles : unit_depth_tiles;
  RowSource a{product.a.data, product.a.row_stride, product.a.column_stride};
  for (int64_t tile = 0; tile < tiles.count; ++tile) {
    const int64_t rows = tiles.rows(tile);
    if (packed) a.depth_stride = rows;
    const float* first = a.data;
    a.data += begin * a.depth_stride;
    functions[static_cast<size_t>(rows - 1)](a, b + begin * panel, depth, out);
    a.data = first + rows * (packed ? product.depth : a.row_stride);
    out.c += rows * out.row_stride;
  }
}

// One panel of B against all rows of A. Its columns of C stay in the first-level cache.
void multiply_panel(const BlockProduct& product, const float* b, TileOutput out) {
  const int64_t chain = product.chain > 0 ? product.chain : std::max<int64_t>(1, product.depth);
  for (int64_t k = 0; k == 0 || k < product.depth; k += chain) {
    multiply_chain(product, b, k, std::min(chain, product.depth - k), out);
    out.accumulate = true;
    out.bias = nullptr;
  }
}

void multiply_block_vector(const BlockProduct& product) {
  for (int64_t n = 0; n < product.columns; n += panel) {
    const int64_t columns = std::min(panel, product.columns - n);
    alignas(64) float bias[panel] = {};
    const float* panel_bias = nullptr;
    if (product.bias) {
      std::memcpy(bias, product.bias + n, static_cast<size_t>(columns) * sizeof(float));
      panel_bias = bias;
    }
    multiply_panel(product, product.b + n / panel * product.panel_stride,
                   {product.c + n, product.c_row_stride, columns, product.accumulate, panel_bias});
  }
}

using Four = hn::Vec<decltype(four)>;

HWY_INLINE void transpose_4x4(const float* const (&rows)[4], int64_t offset, Four (&out)[4]) {
  const Four a = hn::LoadU(four, rows[0] + offset), b = hn::LoadU(four, rows[1] + offset);
  const Four c = hn::LoadU(four, rows[2] + offset), d = hn::LoadU(four, rows[3] + offset);
  const auto ab_low = hn::BitCast(two_pairs, hn::InterleaveLower(four, a, b));
  const auto ab_high = hn::BitCast(two_pairs, hn::InterleaveUpper(four, a, b));
  const auto cd_low = hn::BitCast(two_pairs, hn::InterleaveLower(four, c, d));
  const auto cd_high = hn::BitCast(two_pairs, hn::InterleaveUpper(four, c, d));
  out[0] = hn::BitCast(four, hn::InterleaveLower(two_pairs, ab_low, cd_low));
  out[1] = hn::BitCast(four, hn::InterleaveUpper(two_pairs, ab_low, cd_low));
  out[2] = hn::BitCast(four, hn::InterleaveLower(two_pairs, ab_high, cd_high));
  out[3] = hn::BitCast(four, hn::InterleaveUpper(two_pairs, ab_high, cd_high));
}

// to[k * to_stride + i] = rows[i][k], four rows at a time.
HWY_INLINE void pack_four(const float* const (&rows)[4], int64_t begin, int64_t end, float* to,
                          int64_t to_stride) {
  int64_t k = begin;
  for (; k + 4 <= end; k += 4) {
    Four column[4];
    transpose_4x4(rows, k, column);
    for (int i = 0; i < 4; ++i) hn::StoreU(column[i], four, to + (k + i) * to_stride);
  }
  for (; k < end; ++k)
    for (int i = 0; i < 4; ++i) to[k * to_stride + i] = rows[i][k];
}

// One panel from a B whose columns lie in memory row after row (a transposed matrix). A cache line
// of each source row is used up before the next is touched.
void pack_transposed_panel(const MatrixView& b, int64_t depth, int64_t columns, float* packed) {
  constexpr int64_t step = 16;
  for (int64_t k = 0; k < depth; k += step) {
    const int64_t end = std::min(depth, k + step);
    for (int64_t j = 0; j + 4 <= columns; j += 4) {
      const float* row = b.data + j * b.column_stride;
      const float* const rows[4] = {row, row + b.column_stride, row + 2 * b.column_stride,
                                    row + 3 * b.column_stride};
      pack_four(rows, k, end, packed + j, panel);
    }
    for (int64_t j = columns & ~int64_t{3}; j < panel; ++j)
      for (int64_t i = k; i < end; ++i)
        packed[i * panel + j] = j < columns ? b.data[j * b.column_stride + i] : 0.0f;
  }
}

// The columns that one panel lacks are zeros.
void pack_straight_edge(const MatrixView& b, int64_t depth, int64_t columns, float* packed) {
  const float* from = b.data;
  for (int64_t k = 0; k < depth; ++k, from += b.row_stride, packed += panel)
    for (int64_t j = 0; j < panel; ++j) packed[j] = j < columns ? from[j] : 0.0f;
}

// All panels depth after depth: memory is read in long stretches, and the rows of a large matrix
// begin so far apart that nothing else would fetch the next one in time.
void pack_straight(const MatrixView& b, int64_t depth, int64_t columns, float* packed,
                   int64_t panel_stride) {
  constexpr int64_t ahead = 8;
  const int64_t whole = columns / panel * panel;
  for (int64_t k = 0; k < depth; ++k) {
    const float* from = b.data + k * b.row_stride;
    const float* next = k + ahead < depth ? from + ahead * b.row_stride : from;
    float* to = packed + k * panel;
    for (int64_t n = 0; n < whole; n += panel, to += panel_stride) {
      hwy::Prefetch(next + n);
      hn::Store(hn::LoadU(wide, from + n), wide, to);
      hn::Store(hn::LoadU(wide, from + n + lanes), wide, to + lanes);
    }
  }
  if (whole < columns)
    pack_straight_edge(b.at(0, whole), depth, columns - whole,
                       packed + whole / panel * panel_stride);
}

void pack_columns_vector(const MatrixView& b, int64_t depth, int64_t columns, float* packed,
                         int64_t panel_stride) {
  if (b.column_stride == 1) return pack_straight(b, depth, columns, packed, panel_stride);
  for (int64_t n = 0; n < columns; n += panel, packed += panel_stride)
    pack_transposed_panel(b.at(0, n), depth, std::min(panel, columns - n), packed);
}

// A row tile from an A whose rows are contiguous. Groups of four rows may write up to three floats
// too many; they belong to the next depth, which is written later, so k is the outer loop.
void pack_row_tile(const MatrixView& a, int64_t rows, int64_t depth, float* packed) {
  constexpr int64_t groups = (tile_rows + 3) / 4;
  const float* sources[groups][4];
  for (int64_t r = 0; r < 4 * groups; ++r)
    sources[r / 4][r % 4] = a.data + std::min(r, rows - 1) * a.row_stride;
  int64_t k = 0;
  for (; k + 4 <= depth; k += 4) {
    Four column[groups][4];
    for (int64_t g = 0; g < groups; ++g) transpose_4x4(sources[g], k, column[g]);
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t g = 0; 4 * g < rows; ++g)
        hn::StoreU(column[g][i], four, packed + (k + i) * rows + 4 * g);
  }
  for (; k < depth; ++k)
    for (int64_t r = 0; r < rows; ++r) packed[k * rows + r] = sources[r / 4][r % 4][k];
}

void copy_row_tile(const MatrixView& a, int64_t rows, int64_t depth, float* packed) {
  const float* from = a.data;
  if (rows == tile_rows) {
    for (int64_t k = 0; k < depth; ++k, from += a.column_stride, packed += tile_rows)
      std::memcpy(packed, from, tile_rows * sizeof(float));
    return;
  }
  for (int64_t k = 0; k < depth; ++k, from += a.column_stride, packed += rows)
    for (int64_t r = 0; r < rows; ++r) packed[r] = from[r];
}

void pack_rows_vector(const MatrixView& a, int64_t rows, int64_t depth, float* packed) {
  const RowTiles tiles(rows);
  int64_t row = 0;
  for (int64_t tile = 0; tile < tiles.count; ++tile) {
    const int64_t height = tiles.rows(tile);
    if (a.column_stride == 1)
      pack_row_tile(a.at(row, 0), height, depth, packed + row * depth);
    else
      copy_row_tile(a.at(row, 0), height, depth, packed + row * depth);
    row += height;
  }
}

MicroTile micro_tile_vector() { return {tile_rows, panel}; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hornbeam
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hornbeam {

HWY_EXPORT(micro_tile_vector);
HWY_EXPORT(pack_columns_vector);
HWY_EXPORT(pack_rows_vector);
HWY_EXPORT(multiply_block_vector);

MicroTile micro_tile() { return HWY_DYNAMIC_DISPATCH(micro_tile_vector)(); }

int64_t depth_block(int64_t depth) {
  const int64_t most = micro_tile().columns > 16 ? 256 : 384;
  if (depth <= most) return std::max<int64_t>(1, depth);
  const int64_t blocks = (depth + most - 1) / most;
  return ((depth + blocks - 1) / blocks + 7) / 8 * 8;
}

void pack_columns(const MatrixView& b, int64_t depth, int64_t columns, float* packed,
                  int64_t panel_stride) {
  HWY_DYNAMIC_DISPATCH(pack_columns_vector)(b, depth, columns, packed, panel_stride);
}

void pack_rows(const MatrixView& a, int64_t rows, int64_t depth, float* packed) {
  HWY_DYNAMIC_DISPATCH(pack_rows_vector)(a, rows, depth, packed);
}

void multiply_block(const BlockProduct& product) {
  HWY_DYNAMIC_DISPATCH(multiply_block_vector)(product);
}

}  // namespace hornbeam
#endif  // HWY_ONCE
