#include "backends/cpu/kernels/gemm.h"

#include <algorithm>

#include "backends/cpu/kernels/gemm_block.h"
#include "backends/cpu/kernels/gemm_sparse.h"
#include "backends/cpu/kernels/workspace.h"
#include "base/error.h"

namespace hornbeam {
namespace {

// Up to this many multiply-adds (about 3 microseconds) a product is done whole by the caller:
// waking the other threads would cost more.
constexpr int64_t whole_limit = int64_t{1} << 17;
// A batch gives every thread products of its own while they are not larger than this.
constexpr int64_t batch_limit = int64_t{1} << 21;
constexpr int64_t batch_packed_limit = int64_t{1} << 16;  // floats of one op(B)

// Products cut in depth: few tiles of C, long sums (weight gradients of thin layers).
constexpr int64_t split_area = 2 * 96 * 256;
constexpr int64_t split_columns = 1024;
constexpr int64_t split_depth = 512;
constexpr int64_t max_splits = 32;

constexpr int64_t max_columns = 4096;  // packed at a time, so that packed B stays in the last cache
constexpr int64_t max_row_blocks = 32;
constexpr int64_t wanted_tiles = 16;
// From this many columns on A is read so often that packing it pays.
constexpr int64_t pack_rows_from = 160;

enum class Method { whole, blocked, split };

int64_t volume(const Gemm& p) { return p.rows * p.columns * p.depth; }

MatrixView view_a(const Gemm& p, const float* a) {
  return p.transpose_a ? MatrixView{a, 1, p.leading_a} : MatrixView{a, p.leading_a, 1};
}

MatrixView view_b(const Gemm& p, const float* b) {
  return p.transpose_b ? MatrixView{b, 1, p.leading_b} : MatrixView{b, p.leading_b, 1};
}

int64_t padded_columns(int64_t columns) { return round_up(columns, micro_tile().columns); }

Method method_of(const Gemm& p) {
  if (volume(p) <= whole_limit) return Method::whole;
  if (p.batch > 1 && volume(p) <= batch_limit && p.columns * p.depth <= batch_packed_limit)
    return Method::whole;
  if (p.rows * p.columns <= split_area && p.columns <= split_columns &&
      p.depth >= 2 * split_depth && p.depth > 8 * p.rows)
    return Method::split;
  return Method::blocked;
}

// ---- whole: one thread, B packed at once, A read where it lies ----

void multiply_whole(const Gemm& p, const float* a, const float* b, const float* bias, float* c,
                    float* packed) {
  const int64_t panel_stride = p.depth * micro_tile().columns;
  pack_columns(view_b(p, b), p.depth, p.columns, packed, panel_stride);
  multiply_block({.rows = p.rows,
                  .columns = p.columns,
                  .depth = p.depth,
                  .a = view_a(p, a),
                  .b = packed,
                  .panel_stride = panel_stride,
                  .c = c,
                  .c_row_stride = p.leading_c,
                  .accumulate = p.accumulate,
                  .bias = bias});
}

int64_t whole_floats(const Gemm& p) { return round_up(padded_columns(p.columns) * p.depth, 16); }

void gemm_whole(const Gemm& p, const float* a, const float* b, const float* bias, float* c,
                float* scratch, ThreadPool& threads) {
  const int64_t per_thread = whole_floats(p);
  auto one = [&](int64_t item, int thread) {
    multiply_whole(p, a + item * p.batch_stride_a, b + item * p.batch_stride_b, bias,
                   c + item * p.batch_stride_c, scratch + thread * per_thread);
  };
  if (p.batch * volume(p) > whole_limit) return threads.run(p.batch, one);
  for (int64_t item = 0; item < p.batch; ++item) one(item, 0);
}

// ---- blocked: both operands packed by all threads, then tiles of C shared among them ----

struct Tiling {
  int64_t block_rows;
  int64_t block_columns;
};

// Tiles whose operands stay in the second-level cache, smaller where there would be too few. Their
// columns are a whole number of what gemm_sparse takes at a time.
Tiling tiling_of(const Gemm& p) {
  const MicroTile micro = micro_tile();
  Tiling tiling{16 * micro.rows, 192};
  const auto tiles = [&] {
    return divide_up(p.rows, tiling.block_rows) * divide_up(p.columns, tiling.block_columns);
  };
  while (tiles() < wanted_tiles && tiling.block_columns % (2 * micro.columns) == 0)
    tiling.block_columns /= 2;
  while (tiles() < wanted_tiles && tiling.block_rows > 4 * micro.rows) tiling.block_rows /= 2;
  return tiling;
}

bool packs_rows(const Gemm& p) { return p.columns >= pack_rows_from; }

constexpr int64_t packed_group = 64;  // columns packed by one piece; a multiple of every panel

struct Blocked {
  explicit Blocked(const Gemm& problem, int threads, void* workspace = nullptr)
      : depth(depth_block(problem.depth)),
        tiling(tiling_of(problem)),
        columns(std::min(problem.columns, max_columns)),
        row_blocks(std::min(divide_up(problem.rows, tiling.block_rows), max_row_blocks)),
        row_block_floats(round_up(std::max(tiling.block_rows * depth + packed_rows_slack,
                                           sparse_rows_floats(tiling.block_rows, depth)),
                                  16)),
        sums_floats(sparse_sums_floats(tiling.block_rows)) {
    WorkspaceCutter cutter(workspace);
    packed_b = cutter.take(padded_columns(columns) * depth);
    if (packs_rows(problem)) {
      packed_a = cutter.take(row_blocks * row_block_floats);
      sparse = cutter.take<bool>(row_blocks);
      finite = cutter.take<bool>(divide_up(columns, packed_group));
      sums = cutter.take(threads * sums_floats);
    }
    bytes = cutter.bytes();
  }

  int64_t depth;
  Tiling tiling;
  int64_t columns;     // packed at a time
  int64_t row_blocks;  // packed at a time
  int64_t row_block_floats;
  int64_t sums_floats;
  float* packed_b;
  float* packed_a = nullptr;  // null: read where it is
  bool* sparse;               // for each block of rows: packed as sparse rows
  bool* finite;               // for each group of packed columns
  float* sums;                // for each thread
  int64_t bytes = 0;
};

struct Range {
  int64_t begin, size;
};

// The part of the product that is in the making.
struct Part {
  Range rows, columns, depth;
};

void pack_column_group(const Gemm& p, const Blocked& plan, const Part& part, const float* b,
                       int64_t group) {
  const int64_t n = group * packed_group, depth = part.depth.size;
  const int64_t columns = std::min(packed_group, part.columns.size - n);
  float* packed = plan.packed_b + n * depth;
  pack_columns(view_b(p, b).at(part.depth.begin, part.columns.begin + n), depth, columns, packed,
               depth * micro_tile().columns);
  if (plan.packed_a) plan.finite[group] = is_finite(packed, padded_columns(columns) * depth);
}

void pack_row_block(const Gemm& p, const Blocked& plan, const Part& part, const float* a,
                    int64_t block) {
  const int64_t m = block * plan.tiling.block_rows;
  const int64_t rows = std::min(plan.tiling.block_rows, part.rows.size - m);
  const MatrixView view = view_a(p, a).at(part.rows.begin + m, part.depth.begin);
  float* packed = plan.packed_a + block * plan.row_block_floats;
  plan.sparse[block] = pack_sparse_rows(view, rows, part.depth.size, packed);
  if (!plan.sparse[block]) pack_rows(view, rows, part.depth.size, packed);
}

void pack_part(const Gemm& p, const Blocked& plan, const Part& part, const float* a, const float* b,
               ThreadPool& threads) {
  const int64_t groups = part.rows.begin == 0 ? divide_up(part.columns.size, packed_group) : 0;
  const int64_t blocks = plan.packed_a ? divide_up(part.rows.size, plan.tiling.block_rows) : 0;
  threads.run(groups + blocks, [&](int64_t piece, int) {
    if (piece < groups)
      pack_column_group(p, plan, part, b, piece);
    else
      pack_row_block(p, plan, part, a, piece - groups);
  });
}

// Multiplies a block by the packed columns [n, n + block.columns) of the part. Sparse rows leave
// out products with zero, which are zero only where B is finite.
void multiply_packed(const Blocked& plan, int64_t row_block, int64_t n, BlockProduct block,
                     int thread) {
  const MatrixView packed{plan.packed_a + row_block * plan.row_block_floats, 0, 0};
  if (!plan.sparse[row_block]) {
    block.a = packed;
    return multiply_block(block);
  }
  const int64_t first = n / packed_group, end = divide_up(n + block.columns, packed_group);
  if (!std::all_of(plan.finite + first, plan.finite + end, [](bool finite) { return finite; }))
    return multiply_block(block);
  block.a = packed;
  multiply_sparse_block(block, plan.sums + thread * plan.sums_floats);
}

void multiply_part(const Gemm& p, const Blocked& plan, const Part& part, const float* a,
                   const float* bias, float* c, ThreadPool& threads) {
  const Tiling& tiling = plan.tiling;
  const int64_t column_blocks = divide_up(part.columns.size, tiling.block_columns);
  const int64_t row_blocks = divide_up(part.rows.size, tiling.block_rows);
  const bool first = part.depth.begin == 0;
  threads.run(row_blocks * column_blocks, [&](int64_t piece, int thread) {
    const int64_t row_block = piece / column_blocks;
    const int64_t m = row_block * tiling.block_rows;
    const int64_t n = piece % column_blocks * tiling.block_columns;
    const int64_t column = part.columns.begin + n;
    const BlockProduct block{.rows = std::min(tiling.block_rows, part.rows.size - m),
                             .columns = std::min(tiling.block_columns, part.columns.size - n),
                             .depth = part.depth.size,
                             .a = view_a(p, a).at(part.rows.begin + m, part.depth.begin),
                             .b = plan.packed_b + n * part.depth.size,
                             .panel_stride = part.depth.size * micro_tile().columns,
                             .c = c + (part.rows.begin + m) * p.leading_c + column,
                             .c_row_stride = p.leading_c,
                             .accumulate = p.accumulate || !first,
                             .bias = bias && first ? bias + column : nullptr};
    if (plan.packed_a)
      multiply_packed(plan, row_block, n, block, thread);
    else
      multiply_block(block);
  });
}

// Calls work(Part) for every part, depth innermost but for the rows that share a packed B.
template <class Work>
void for_each_part(const Gemm& p, const Blocked& plan, Work&& work) {
  const int64_t rows_at_once = plan.row_blocks * plan.tiling.block_rows;
  for (int64_t n = 0; n < p.columns; n += plan.columns)
    for (int64_t k = 0; k == 0 || k < p.depth; k += plan.depth)
      for (int64_t m = 0; m < p.rows; m += rows_at_once)
        work(Part{{m, std::min(rows_at_once, p.rows - m)},
                  {n, std::min(plan.columns, p.columns - n)},
                  {k, std::min(plan.depth, p.depth - k)}});
}

void gemm_blocked(const Gemm& p, const float* a, const float* b, const float* bias, float* c,
                  void* workspace, ThreadPool& threads) {
  const Blocked plan(p, threads.threads(), workspace);
  for_each_part(p, plan, [&](const Part& part) {
    pack_part(p, plan, part, a, b, threads);
    multiply_part(p, plan, part, a, bias, c, threads);
  });
}

// ---- split: partial products of depth ranges, then a fixed tree of sums ----

struct Split {
  explicit Split(const Gemm& p, int threads, void* workspace = nullptr)
      : splits(std::min(max_splits, p.depth / split_depth)),
        split_length(divide_up(p.depth, splits)),
        depth(depth_block(split_length)),
        area(round_up(p.rows * p.columns, 16)),
        packed_floats(round_up(padded_columns(p.columns) * depth, 16)) {
    splits = divide_up(p.depth, split_length);
    WorkspaceCutter cutter(workspace);
    partial = cutter.take(splits * area);
    packed = cutter.take(threads * packed_floats);
    bytes = cutter.bytes();
  }

  int64_t splits;
  int64_t split_length;
  int64_t depth;
  int64_t area;
  int64_t packed_floats;
  float* partial;
  float* packed;
  int64_t bytes;
};

void multiply_split(const Gemm& p, const Split& plan, int64_t split, const float* a, const float* b,
                    float* packed) {
  const int64_t begin = split * plan.split_length;
  const int64_t end = std::min(p.depth, begin + plan.split_length);
  for (int64_t k = begin; k < end; k += plan.depth) {
    const int64_t depth = std::min(plan.depth, end - k);
    const int64_t panel_stride = depth * micro_tile().columns;
    pack_columns(view_b(p, b).at(k, 0), depth, p.columns, packed, panel_stride);
    multiply_block({.rows = p.rows,
                    .columns = p.columns,
                    .depth = depth,
                    .a = view_a(p, a).at(0, k),
                    .b = packed,
                    .panel_stride = panel_stride,
                    .c = plan.partial + split * plan.area,
                    .c_row_stride = p.columns,
                    .accumulate = k > begin});
  }
}

// Sums the partial products into the first one, in pairs, then in pairs of pairs.
void sum_partials(const Split& plan, int64_t begin, int64_t end) {
  for (int64_t step = 1; step < plan.splits; step *= 2)
    for (int64_t to = 0; to + step < plan.splits; to += 2 * step) {
      float* sum = plan.partial + to * plan.area;
      const float* other = sum + step * plan.area;
      for (int64_t i = begin; i < end; ++i) sum[i] += other[i];
    }
}

void gemm_split(const Gemm& p, const float* a, const float* b, const float* bias, float* c,
                void* workspace, ThreadPool& threads) {
  const Split plan(p, threads.threads(), workspace);
  threads.run(plan.splits, [&](int64_t split, int thread) {
    multiply_split(p, plan, split, a, b, plan.packed + thread * plan.packed_floats);
  });
  threads.run(p.rows, [&](int64_t row, int) {
    sum_partials(plan, row * p.columns, (row + 1) * p.columns);
    const float* sum = plan.partial + row * p.columns;
    float* out = c + row * p.leading_c;
    for (int64_t j = 0; j < p.columns; ++j)
      out[j] = (p.accumulate ? out[j] : bias ? bias[j] : 0.0f) + sum[j];
  });
}

bool is_empty(const Gemm& p) { return p.batch == 0 || p.rows == 0 || p.columns == 0; }

}  // namespace

Gemm dense_gemm(int64_t rows, int64_t columns, int64_t depth, bool transpose_a, bool transpose_b) {
  return {.rows = rows,
          .columns = columns,
          .depth = depth,
          .transpose_a = transpose_a,
          .transpose_b = transpose_b,
          .leading_a = transpose_a ? rows : depth,
          .leading_b = transpose_b ? depth : columns,
          .leading_c = columns};
}

int64_t gemm_workspace(const Gemm& problem, int threads) {
  if (is_empty(problem)) return 0;
  switch (method_of(problem)) {
    case Method::whole:
      return threads * whole_floats(problem) * static_cast<int64_t>(sizeof(float));
    case Method::split:
      return Split(problem, threads).bytes;
    case Method::blocked:
      return Blocked(problem, threads).bytes;
  }
  __builtin_unreachable();
}

void gemm(const Gemm& problem, const float* a, const float* b, const float* bias, float* c,
          void* workspace, ThreadPool& threads) {
  check(!(bias && problem.accumulate), "gemm: a bias excludes accumulate");
  if (is_empty(problem)) return;
  const Method method = method_of(problem);
  if (method == Method::whole)
    return gemm_whole(problem, a, b, bias, c, static_cast<float*>(workspace), threads);
  for (int64_t item = 0; item < problem.batch; ++item) {
    const auto run = method == Method::split ? gemm_split : gemm_blocked;
    run(problem, a + item * problem.batch_stride_a, b + item * problem.batch_stride_b, bias,
        c + item * problem.batch_stride_c, workspace, threads);
  }
}

}  // namespace hornbeam
