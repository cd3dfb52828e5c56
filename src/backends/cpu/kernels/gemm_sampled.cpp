#include "backends/cpu/kernels/gemm_sampled.h"

#include <hwy/cache_control.h>

#include <algorithm>

#include "backends/cpu/kernels/gemm.h"
#include "backends/cpu/kernels/workspace.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/gemm_sampled.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef HORNBEAM_SAMPLED_BLOCK
#define HORNBEAM_SAMPLED_BLOCK
namespace hornbeam {

// Three quarters of a first-level cache of 32 KiB hold block_columns rows of B, block_depth deep.
constexpr int64_t block_columns = 64, block_depth = 96, block_rows = 96;
constexpr int64_t group = 4;  // elements of C that are made together

// What a thread needs for a block of C: which columns are kept in each row, filled up to whole
// groups, and their sums.
struct SampledBlock {
  explicit SampledBlock(void* memory = nullptr) {
    WorkspaceCutter cutter(memory);
    b = cutter.take(block_columns * block_depth);
    sums = cutter.take(block_rows * block_columns);
    columns = cutter.take<int32_t>(block_rows * block_columns + group);
    counts = cutter.take<int32_t>(block_rows);
    bytes = cutter.bytes();
  }

  float* b;
  float* sums;
  int32_t* columns;
  int32_t* counts;
  int64_t bytes;
};

struct SampledOperands {
  const float* a;
  const float* b;
  const float* kept;
  float* c;
};

}  // namespace hornbeam
#endif

HWY_BEFORE_NAMESPACE();
namespace hornbeam {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::ScalableTag<float> wide;
using Wide = hn::Vec<decltype(wide)>;
constexpr int64_t lanes = static_cast<int64_t>(hn::MaxLanes(wide));
constexpr hn::Full128<float> four;
constexpr hn::Full128<double> two_pairs;
using Four = hn::Vec<decltype(four)>;

// Four sums, each of the lanes of a vector.
template <class D>
HWY_INLINE Four folded(D d, hn::Vec<D> x) {
  if constexpr (hn::MaxLanes(d) == 4) {
    return x;
  } else {
    const hn::Half<D> half;
    return folded(half, hn::Add(hn::LowerHalf(half, x), hn::UpperHalf(half, x)));
  }
}

HWY_INLINE Four sums_of_lanes(Wide a, Wide b, Wide c, Wide d) {
  const Four p = folded(wide, a), q = folded(wide, b), r = folded(wide, c), s = folded(wide, d);
  const auto pq = hn::BitCast(
      two_pairs, hn::Add(hn::InterleaveLower(four, p, q), hn::InterleaveUpper(four, p, q)));
  const auto rs = hn::BitCast(
      two_pairs, hn::Add(hn::InterleaveLower(four, r, s), hn::InterleaveUpper(four, r, s)));
  return hn::Add(hn::BitCast(four, hn::InterleaveLower(two_pairs, pq, rs)),
                 hn::BitCast(four, hn::InterleaveUpper(two_pairs, pq, rs)));
}

// A stretch of a row of A times those of four rows of B. A whole step is `unrolled`.
template <bool unrolled>
HWY_INLINE Four multiply_group(const float* HWY_RESTRICT a, const float* const (&b)[group],
                               int64_t depth) {
  Wide even[group], odd[group];
#pragma GCC unroll 4
  for (int64_t i = 0; i < group; ++i) even[i] = odd[i] = hn::Zero(wide);
#pragma GCC unroll 16
  for (int64_t k = 0; k < (unrolled ? block_depth : depth); k += 2 * lanes) {
    const Wide left = hn::LoadU(wide, a + k), right = hn::LoadU(wide, a + k + lanes);
#pragma GCC unroll 4
    for (int64_t i = 0; i < group; ++i) {
      even[i] = hn::MulAdd(left, hn::Load(wide, b[i] + k), even[i]);
      odd[i] = hn::MulAdd(right, hn::Load(wide, b[i] + k + lanes), odd[i]);
    }
  }
  return sums_of_lanes(hn::Add(even[0], odd[0]), hn::Add(even[1], odd[1]), hn::Add(even[2], odd[2]),
                       hn::Add(even[3], odd[3]));
}

// One step of the depth, `depth` long, for all kept elements of the block.
template <bool unrolled>
void multiply_step(const SampledGemm& p, const SampledBlock block, const float* a, int64_t rows,
                   int64_t depth, bool first) {
  for (int64_t row = 0; row < rows; ++row, a += p.depth) {
    const int32_t* column = block.columns + row * block_columns;
    float* sum = block.sums + row * block_columns;
    for (int64_t k = 0; k < depth; k += 16) hwy::Prefetch(a + p.depth + k);
    for (int64_t i = 0; i < block.counts[row]; i += group) {
      const float* const b[group] = {
          block.b + column[i] * block_depth, block.b + column[i + 1] * block_depth,
          block.b + column[i + 2] * block_depth, block.b + column[i + 3] * block_depth};
      const Four made = multiply_group<unrolled>(a, b, depth);
      hn::Store(first ? made : hn::Add(hn::Load(four, sum + i), made), four, sum + i);
    }
  }
}

// Fetches the row that is copied a few rows later.
void copy_stretch(const float* from, int64_t depth, int64_t stride, float* to) {
  constexpr int64_t ahead = 4;
  for (int64_t k = 0; k < depth; k += lanes) {
    if (k % 16 == 0) hwy::Prefetch(from + ahead * stride + k);
    hn::Store(hn::LoadU(wide, from + k), wide, to + k);
  }
}

// Without a branch, which nothing could predict.
void list_kept(const SampledGemm& p, const SampledBlock& block, const float* kept, int64_t rows,
               int64_t columns) {
  for (int64_t row = 0; row < rows; ++row, kept += p.columns) {
    int32_t* to = block.columns + row * block_columns;
    int32_t count = 0;
    for (int64_t j = 0; j < columns; ++j) {
      to[count] = static_cast<int32_t>(j);
      count += kept[j] != 0;
    }
    block.counts[row] = count;
    for (; count % group != 0; ++count) to[count] = 0;
  }
}

void write_kept(const SampledGemm& p, const SampledBlock& block, float* c, int64_t rows,
                int64_t columns) {
  for (int64_t row = 0; row < rows; ++row, c += p.columns) {
    std::fill_n(c, columns, 0.0f);
    const int32_t* column = block.columns + row * block_columns;
    const float* sum = block.sums + row * block_columns;
    for (int64_t i = 0; i < block.counts[row]; ++i) c[column[i]] = sum[i];
  }
}

void sampled_block_vector(const SampledGemm& p, const SampledOperands& on, int64_t row,
                          int64_t column, const SampledBlock& block) {
  const int64_t rows = std::min(block_rows, p.rows - row);
  const int64_t columns = std::min(block_columns, p.columns - column);
  const int64_t corner = row * p.columns + column;
  list_kept(p, block, on.kept + corner, rows, columns);
  for (int64_t k = 0; k < p.depth; k += block_depth) {
    const int64_t depth = std::min(block_depth, p.depth - k);
    for (int64_t j = 0; j < columns; ++j)
      copy_stretch(on.b + (column + j) * p.depth + k, depth, p.depth, block.b + j * block_depth);
    const auto step = depth == block_depth ? multiply_step<true> : multiply_step<false>;
    step(p, block, on.a + row * p.depth + k, rows, depth, k == 0);
  }
  write_kept(p, block, on.c + corner, rows, columns);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hornbeam
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hornbeam {
namespace {

HWY_EXPORT(sampled_block_vector);

Gemm whole_product(const SampledGemm& p) {
  return dense_gemm(p.rows, p.columns, p.depth, false, true);
}

// Judged by some of the rows.
bool pays(const SampledGemm& p, const float* kept) {
  constexpr int64_t every = 16;
  constexpr double most = 0.36;
  int64_t found = 0, seen = 0;
  for (int64_t row = 0; row < p.rows; row += every, seen += p.columns)
    for (int64_t j = 0; j < p.columns; ++j) found += kept[row * p.columns + j] != 0;
  return static_cast<double>(found) <= most * static_cast<double>(seen);
}

void multiply_whole(const SampledGemm& p, const SampledOperands& on, void* workspace,
                    ThreadPool& threads) {
  gemm(whole_product(p), on.a, on.b, nullptr, on.c, workspace, threads);
  threads.run(p.rows, [&](int64_t row, int) {
    for (int64_t i = row * p.columns; i < (row + 1) * p.columns; ++i)
      on.c[i] = on.kept[i] != 0 ? on.c[i] : 0;
  });
}

}  // namespace

int64_t sampled_gemm_workspace(const SampledGemm& problem, int threads) {
  return std::max(threads * SampledBlock().bytes, gemm_workspace(whole_product(problem), threads));
}

void sampled_gemm(const SampledGemm& p, const float* a, const float* b, const float* kept, float* c,
                  void* workspace, ThreadPool& threads) {
  const SampledOperands on{a, b, kept, c};
  if (!pays(p, kept)) return multiply_whole(p, on, workspace, threads);
  const int64_t column_blocks = divide_up(p.columns, block_columns);
  threads.run(divide_up(p.rows, block_rows) * column_blocks, [&](int64_t piece, int thread) {
    const SampledBlock block(static_cast<std::byte*>(workspace) + thread * SampledBlock().bytes);
    HWY_DYNAMIC_DISPATCH(sampled_block_vector)
    (p, on, piece / column_blocks * block_rows, piece % column_blocks * block_columns, block);
  });
}

}  // namespace hornbeam
#endif  // HWY_ONCE
