#include "backends/cpu/kernels/gemm_sparse.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "backends/cpu/kernels/workspace.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/gemm_sparse.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef HORNBEAM_SPARSE_ROWS
#define HORNBEAM_SPARSE_ROWS
namespace hornbeam {

// What is kept, step after step, row after row: the values and where their row of B begins, in
// floats from the beginning of the step in a panel. `starts` is where a row begins in both lists.
struct SparseRows {
  SparseRows(int64_t rows, int64_t depth, int64_t step, void* memory = nullptr)
      : steps(divide_up(depth, step)), capacity(rows * depth / 2) {
    constexpr int64_t overhang = 1;  // written before it is known to be zero
    WorkspaceCutter cutter(memory);
    starts = cutter.take<int32_t>(steps * rows + 1);
    values = cutter.take(capacity + overhang);
    offsets = cutter.take<int32_t>(capacity + overhang);
    bytes = cutter.bytes();
  }

  int64_t steps;
  int64_t capacity;
  int32_t* starts;
  float* values;
  int32_t* offsets;
  int64_t bytes;
};

}  // namespace hornbeam
#endif

HWY_BEFORE_NAMESPACE();
namespace hornbeam {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::ScalableTag<float> wide;
constexpr hn::ScalableTag<int32_t> wide_int;
using Wide = hn::Vec<decltype(wide)>;
constexpr int64_t lanes = static_cast<int64_t>(hn::MaxLanes(wide));
constexpr int64_t panel = 2 * lanes;
constexpr int64_t most_panels = 6;  // as many accumulators as hide the latency of a multiply-add
constexpr int64_t most_rows = HWY_TARGET == HWY_AVX3 ? 16 * 14 : 16 * 6;
// A step of six panels of B is three quarters of a first-level cache of 32 KiB.
constexpr int64_t step = 24 * 1024 / (most_panels * panel * static_cast<int64_t>(sizeof(float)));
static_assert(step % panel == 0);

// ---- packing ----

int64_t count_nonzero(const float* from, int64_t count) {
  int64_t found = 0, i = 0;
  for (; i + lanes <= count; i += lanes)
    found += lanes - static_cast<int64_t>(
                         hn::CountTrue(wide, hn::Eq(hn::LoadU(wide, from + i), hn::Zero(wide))));
  for (; i < count; ++i) found += from[i] != 0;
  return found;
}

bool is_sparse(const MatrixView& a, int64_t rows, int64_t depth, int64_t limit) {
  const bool by_rows = a.column_stride == 1;
  const int64_t lines = by_rows ? rows : depth, length = by_rows ? depth : rows;
  const int64_t stride = by_rows ? a.row_stride : a.column_stride;
  int64_t found = 0;
  for (int64_t line = 0; line < lines && found <= limit; ++line)
    found += count_nonzero(a.data + line * stride, length);
  return found <= limit;
}

struct Entries {
  float* value;
  int32_t* offset;

  // Keeps what is not zero of a stretch that begins `depth` deep in its step. Without a branch,
  // which nothing could predict. Zeros of both signs are told by their bits: comparing floats takes
  // three times as many instructions, because of NaN.
  void append(const float* from, int64_t depth, int64_t count) {
    int64_t kept = 0;
    for (int64_t i = 0; i < count; ++i) {
      const uint32_t bits = std::bit_cast<uint32_t>(from[i]);
      value[kept] = std::bit_cast<float>(bits);
      offset[kept] = static_cast<int32_t>((depth + i) * panel);
      kept += (bits << 1) != 0;
    }
    value += kept;
    offset += kept;
  }
};

bool pack_sparse_rows_vector(const MatrixView& a, int64_t rows, int64_t depth, float* packed) {
  if (depth < panel) return false;
  const SparseRows sparse(rows, depth, step, packed);
  if (!is_sparse(a, rows, depth, sparse.capacity)) return false;
  alignas(64) float turned[most_rows * step];  // a step of an A whose columns are contiguous
  Entries entries{sparse.values, sparse.offsets};
  int32_t* start = sparse.starts;
  for (int64_t k = 0; k < depth; k += step) {
    const int64_t size = std::min(step, depth - k);
    const bool by_rows = a.column_stride == 1;
    if (!by_rows) pack_columns(a.at(0, k), rows, size, turned, rows * panel);
    for (int64_t row = 0; row < rows; ++row) {
      *start++ = static_cast<int32_t>(entries.value - sparse.values);
      if (by_rows)
        entries.append(a.data + row * a.row_stride + k, 0, size);
      else
        for (int64_t i = 0; i < size; i += panel)
          entries.append(turned + i * rows + row * panel, i, std::min(panel, size - i));
    }
  }
  *start = static_cast<int32_t>(entries.value - sparse.values);
  return true;
}

// ---- the product ----

// One step of one row of A, and the sums of its row of C.
struct RowStep {
  const float* values;
  const int32_t* offsets;
  int64_t count;
  const float* b;
  int64_t panel_stride;
};

template <int panels>
HWY_INLINE void multiply_row(const RowStep& on, Wide (&sum)[panels][2]) {
  const float* panel_at[panels];
#pragma GCC unroll 8
  for (int p = 0; p < panels; ++p) panel_at[p] = on.b + p * on.panel_stride;
  for (int64_t i = 0; i < on.count; ++i) {
    const Wide value = hn::Set(wide, on.values[i]);
    const int64_t offset = on.offsets[i];
#pragma GCC unroll 8
    for (int p = 0; p < panels; ++p) {
      sum[p][0] = hn::MulAdd(value, hn::Load(wide, panel_at[p] + offset), sum[p][0]);
      sum[p][1] = hn::MulAdd(value, hn::Load(wide, panel_at[p] + offset + lanes), sum[p][1]);
    }
  }
}

template <int panels>
HWY_INLINE void load_sums(const float* from, Wide (&sum)[panels][2]) {
#pragma GCC unroll 8
  for (int p = 0; p < panels; ++p)
    for (int half = 0; half < 2; ++half)
      sum[p][half] = from ? hn::Load(wide, from + p * panel + half * lanes) : hn::Zero(wide);
}

template <int panels>
HWY_INLINE void store_sums(const Wide (&sum)[panels][2], float* to) {
#pragma GCC unroll 8
  for (int p = 0; p < panels; ++p)
    for (int half = 0; half < 2; ++half)
      hn::Store(sum[p][half], wide, to + p * panel + half * lanes);
}

// The end of a row of C: `sums` are on top of what is there, or take its place.
void write_edge(const float* sums, int64_t columns, bool accumulate, float* c) {
  for (int64_t j = 0; j < columns; ++j) c[j] = accumulate ? c[j] + sums[j] : sums[j];
}

template <int panels>
HWY_INLINE void write_row(const Wide (&sum)[panels][2], const BlockProduct& product, int64_t row) {
  float* c = product.c + row * product.c_row_stride;
  if (product.columns < panels * panel) {
    alignas(64) float line[panels * panel];
    store_sums<panels>(sum, line);
    return write_edge(line, product.columns, product.accumulate, c);
  }
#pragma GCC unroll 8
  for (int p = 0; p < panels; ++p)
    for (int half = 0; half < 2; ++half, c += lanes)
      hn::StoreU(product.accumulate ? hn::Add(hn::LoadU(wide, c), sum[p][half]) : sum[p][half],
                 wide, c);
}

// All rows against a few panels of B, step after step; `sums` are the rows of C in the making.
template <int panels>
void multiply_panels(const BlockProduct& product, const SparseRows& sparse, const float* bias,
                     float* sums) {
  constexpr int64_t width = panels * panel;
  for (int64_t s = 0; s < sparse.steps; ++s) {
    const int32_t* starts = sparse.starts + s * product.rows;
    const float* b = product.b + s * step * panel;
    for (int64_t row = 0; row < product.rows; ++row) {
      Wide sum[panels][2];
      load_sums<panels>(s == 0 ? bias : sums + row * width, sum);
      multiply_row<panels>({sparse.values + starts[row], sparse.offsets + starts[row],
                            starts[row + 1] - starts[row], b, product.panel_stride},
                           sum);
      if (s + 1 < sparse.steps)
        store_sums<panels>(sum, sums + row * width);
      else
        write_row<panels>(sum, product, row);
    }
  }
}

using PanelsFunction = void (*)(const BlockProduct&, const SparseRows&, const float*, float*);

template <size_t... index>
constexpr std::array<PanelsFunction, sizeof...(index)> panels_functions(
    std::index_sequence<index...>) {
  return {&multiply_panels<static_cast<int>(index) + 1>...};
}
constexpr auto functions = panels_functions(std::make_index_sequence<most_panels>());

void multiply_sparse_block_vector(const BlockProduct& product, float* sums) {
  const SparseRows sparse(product.rows, product.depth, step, const_cast<float*>(product.a.data));
  const int64_t panels = divide_up(product.columns, panel);
  const int64_t groups = divide_up(panels, most_panels);
  for (int64_t group = 0, at = 0; group < groups; ++group) {
    const int64_t count = divide_up(panels - at, groups - group);
    BlockProduct part = product;
    part.columns = std::min(count * panel, product.columns - at * panel);
    part.b += at * product.panel_stride;
    part.c += at * panel;
    alignas(64) float bias[most_panels * panel] = {};
    if (product.bias) std::copy_n(product.bias + at * panel, part.columns, bias);
    functions[static_cast<size_t>(count - 1)](part, sparse, product.bias ? bias : nullptr, sums);
    at += count;
  }
}

// Infinities and NaN times zero are NaN, and stay so in a sum.
bool is_finite_vector(const float* packed, int64_t floats) {
  Wide left = hn::Zero(wide), right = left;
  for (int64_t i = 0; i < floats; i += panel) {
    left = hn::MulAdd(hn::Load(wide, packed + i), hn::Zero(wide), left);
    right = hn::MulAdd(hn::Load(wide, packed + i + lanes), hn::Zero(wide), right);
  }
  return hn::AllTrue(wide, hn::Eq(hn::Add(left, right), hn::Zero(wide)));
}

int64_t step_vector() { return step; }
int64_t sparse_sums_vector(int64_t rows) { return rows * most_panels * panel; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hornbeam
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hornbeam {

HWY_EXPORT(step_vector);
HWY_EXPORT(sparse_sums_vector);
HWY_EXPORT(pack_sparse_rows_vector);
HWY_EXPORT(multiply_sparse_block_vector);
HWY_EXPORT(is_finite_vector);

int64_t sparse_rows_floats(int64_t rows, int64_t depth) {
  return SparseRows(rows, depth, HWY_DYNAMIC_DISPATCH(step_vector)()).bytes /
         static_cast<int64_t>(sizeof(float));
}

int64_t sparse_sums_floats(int64_t rows) { return HWY_DYNAMIC_DISPATCH(sparse_sums_vector)(rows); }

bool pack_sparse_rows(const MatrixView& a, int64_t rows, int64_t depth, float* packed) {
  return HWY_DYNAMIC_DISPATCH(pack_sparse_rows_vector)(a, rows, depth, packed);
}

void multiply_sparse_block(const BlockProduct& product, float* sums) {
  HWY_DYNAMIC_DISPATCH(multiply_sparse_block_vector)(product, sums);
}

bool is_finite(const float* packed, int64_t floats) {
  return HWY_DYNAMIC_DISPATCH(is_finite_vector)(packed, floats);
}

}  // namespace hornbeam
#endif  // HWY_ONCE
