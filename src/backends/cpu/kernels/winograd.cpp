#include "backends/cpu/kernels/winograd.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/winograd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hornbeam {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::ScalableTag<float> wide;
using Wide = hn::Vec<decltype(wide)>;
constexpr int64_t lanes = static_cast<int64_t>(hn::MaxLanes(wide));

HWY_INLINE Wide times(double factor, Wide value) {
  return hn::Mul(hn::Set(wide, static_cast<float>(factor)), value);
}
// sum + factor · value
HWY_INLINE Wide plus(Wide sum, double factor, Wide value) {
  return hn::MulAdd(hn::Set(wide, static_cast<float>(factor)), value, sum);
}
HWY_INLINE Wide minus(Wide sum, double factor, Wide value) {
  return hn::NegMulAdd(hn::Set(wide, static_cast<float>(factor)), value, sum);
}

// What each step does to a line of cells of an axis on which tiles have m outputs.
template <int m>
struct Input;
template <int m>
struct Kernel;
template <int m>
struct Output;
template <int m>
struct OutputGradient;
template <int m>
struct KernelGradient;

// F(4, 3), with the points 0, ±a, ±b and ∞. The rows of Bᵀ are the products of
// (x − p) over the other points p, those of G and Aᵀ the powers of the points; the scales
// 1 / Π(p − q) are all in G.
constexpr double a = 0.75, b = 1.5;
constexpr double aa = a * a, bb = b * b;
constexpr double scale_0 = 1 / (aa * bb);
constexpr double scale_a = 1 / (2 * aa * (aa - bb)), scale_b = 1 / (2 * bb * (bb - aa));

template <>
struct Input<4> {
  static constexpr int in = 6, out = 6;
  HWY_INLINE static void apply(const Wide* d, Wide* to) {
    to[0] = plus(minus(d[4], aa + bb, d[2]), aa * bb, d[0]);
    to[5] = plus(minus(d[5], aa + bb, d[3]), aa * bb, d[1]);
    const Wide even_a = minus(d[4], bb, d[2]), odd_a = minus(d[3], bb, d[1]);
    to[1] = plus(even_a, a, odd_a);
    to[2] = minus(even_a, a, odd_a);
    const Wide even_b = minus(d[4], aa, d[2]), odd_b = minus(d[3], aa, d[1]);
    to[3] = plus(even_b, b, odd_b);
    to[4] = minus(even_b, b, odd_b);
  }
};

template <>
struct Kernel<4> {
  static constexpr int in = 3, out = 6;
  HWY_INLINE static void apply(const Wide* g, Wide* to) {
    to[0] = times(scale_0, g[0]);
    const Wide even_a = plus(times(scale_a, g[0]), scale_a * aa, g[2]);
    const Wide odd_a = times(scale_a * a, g[1]);
    to[1] = hn::Add(even_a, odd_a);
    to[2] = hn::Sub(even_a, odd_a);
    const Wide even_b = plus(times(scale_b, g[0]), scale_b * bb, g[2]);
    const Wide odd_b = times(scale_b * b, g[1]);
    to[3] = hn::Add(even_b, odd_b);
    to[4] = hn::Sub(even_b, odd_b);
    to[5] = g[2];
  }
};

template <>
struct Output<4> {
  static constexpr int in = 6, out = 4;
  HWY_INLINE static void apply(const Wide* m, Wide* to) {
    const Wide even_a = hn::Add(m[1], m[2]), odd_a = hn::Sub(m[1], m[2]);
    const Wide even_b = hn::Add(m[3], m[4]), odd_b = hn::Sub(m[3], m[4]);
    to[0] = hn::Add(m[0], hn::Add(even_a, even_b));
    to[1] = plus(times(a, odd_a), b, odd_b);
    to[2] = plus(times(aa, even_a), bb, even_b);
    to[3] = plus(plus(m[5], a * aa, odd_a), b * bb, odd_b);
  }
};

template <>
struct OutputGradient<4> {
  static constexpr int in = 4, out = 6;
  HWY_INLINE static void apply(const Wide* y, Wide* to) {
    to[0] = y[0];
    const Wide even_a = plus(y[0], aa, y[2]), odd_a = plus(times(a, y[1]), a * aa, y[3]);
    to[1] = hn::Add(even_a, odd_a);
    to[2] = hn::Sub(even_a, odd_a);
    const Wide even_b = plus(y[0], bb, y[2]), odd_b = plus(times(b, y[1]), b * bb, y[3]);
    to[3] = hn::Add(even_b, odd_b);
    to[4] = hn::Sub(even_b, odd_b);
    to[5] = y[3];
  }
};

template <>
struct KernelGradient<4> {
  static constexpr int in = 6, out = 3;
  HWY_INLINE static void apply(const Wide* u, Wide* to) {
    const Wide even_a = hn::Add(u[1], u[2]), odd_a = hn::Sub(u[1], u[2]);
    const Wide even_b = hn::Add(u[3], u[4]), odd_b = hn::Sub(u[3], u[4]);
    to[0] = plus(plus(times(scale_b, even_b), scale_a, even_a), scale_0, u[0]);
    to[1] = plus(times(scale_b * b, odd_b), scale_a * a, odd_a);
    to[2] = plus(plus(u[5], scale_b * bb, even_b), scale_a * aa, even_a);
  }
};

// F(2, 3), with the points 0, ±1 and ∞.
template <>
struct Input<2> {
  static constexpr int in = 4, out = 4;
  HWY_INLINE static void apply(const Wide* d, Wide* to) {
    to[0] = hn::Sub(d[0], d[2]);
    to[1] = hn::Add(d[1], d[2]);
    to[2] = hn::Sub(d[2], d[1]);
    to[3] = hn::Sub(d[1], d[3]);
  }
};

template <>
struct Kernel<2> {
  static constexpr int in = 3, out = 4;
  HWY_INLINE static void apply(const Wide* g, Wide* to) {
    const Wide even = times(0.5, hn::Add(g[0], g[2])), odd = times(0.5, g[1]);
    to[0] = g[0];
    to[1] = hn::Add(even, odd);
    to[2] = hn::Sub(even, odd);
    to[3] = g[2];
  }
};

template <>
struct Output<2> {
  static constexpr int in = 4, out = 2;
  HWY_INLINE static void apply(const Wide* m, Wide* to) {
    to[0] = hn::Add(m[0], hn::Add(m[1], m[2]));
    to[1] = hn::Sub(hn::Sub(m[1], m[2]), m[3]);
  }
};

template <>
struct OutputGradient<2> {
  static constexpr int in = 2, out = 4;
  HWY_INLINE static void apply(const Wide* y, Wide* to) {
    to[0] = y[0];
    to[1] = hn::Add(y[0], y[1]);
    to[2] = hn::Sub(y[0], y[1]);
    to[3] = hn::Neg(y[1]);
  }
};

template <>
struct KernelGradient<2> {
  static constexpr int in = 4, out = 3;
  HWY_INLINE static void apply(const Wide* u, Wide* to) {
    const Wide even = times(0.5, hn::Add(u[1], u[2]));
    to[0] = hn::Add(u[0], even);
    to[1] = times(0.5, hn::Sub(u[1], u[2]));
    to[2] = hn::Add(u[3], even);
  }
};

// Highway's masked loads and stores may touch what lies behind, without AVX.
HWY_INLINE Wide load_some(const float* from, int64_t count) {
  alignas(64) float line[lanes] = {};
  std::memcpy(line, from, static_cast<size_t>(count) * sizeof(float));
  return hn::Load(wide, line);
}

HWY_INLINE void store_some(Wide value, int64_t count, float* to) {
  alignas(64) float line[lanes];
  hn::Store(value, wide, line);
  std::memcpy(to, line, static_cast<size_t>(count) * sizeof(float));
}

// Columns of cells are transformed as Vertical says, then rows as Horizontal says.
template <class Vertical, class Horizontal, class Load, class Store>
HWY_INLINE void transform_vector(Load&& load, Store&& store) {
  Wide half[Vertical::out][Horizontal::in], line[6], result[6];
#pragma GCC unroll 8
  for (int j = 0; j < Horizontal::in; ++j) {
#pragma GCC unroll 8
    for (int i = 0; i < Vertical::in; ++i) line[i] = load(i * Horizontal::in + j);
    Vertical::apply(line, result);
#pragma GCC unroll 8
    for (int i = 0; i < Vertical::out; ++i) half[i][j] = result[i];
  }
#pragma GCC unroll 8
  for (int i = 0; i < Vertical::out; ++i) {
    Horizontal::apply(half[i], result);
#pragma GCC unroll 8
    for (int j = 0; j < Horizontal::out; ++j) store(i * Horizontal::out + j, result[j]);
  }
}

template <class Vertical, class Horizontal>
void transform(const WinogradCells& cells) {
  constexpr bool from_domain = Vertical::in > Vertical::out;
  const float* const* from = cells.from;
  float* const* to = cells.to;
  int64_t c = 0;
  for (; c + lanes <= cells.channels; c += lanes)
    transform_vector<Vertical, Horizontal>(
        [&](int i) { return hn::LoadU(wide, from[i] + c); },
        [&](int i, Wide value) { hn::StoreU(value, wide, to[i] + c); });
  if (c == cells.channels) return;
  const int64_t rest = cells.channels - c;
  if (from_domain)
    transform_vector<Vertical, Horizontal>(
        [&](int i) { return hn::LoadU(wide, from[i] + c); },
        [&](int i, Wide value) { store_some(value, rest, to[i] + c); });
  else
    transform_vector<Vertical, Horizontal>(
        [&](int i) { return load_some(from[i] + c, rest); },
        [&](int i, Wide value) { hn::StoreU(value, wide, to[i] + c); });
}

template <int height, int width>
void transform_tile(WinogradStep step, const WinogradCells& cells) {
  switch (step) {
    case WinogradStep::input:
      return transform<Input<height>, Input<width>>(cells);
    case WinogradStep::kernel:
      return transform<Kernel<height>, Kernel<width>>(cells);
    case WinogradStep::output:
      return transform<Output<height>, Output<width>>(cells);
    case WinogradStep::output_gradient:
      return transform<OutputGradient<height>, OutputGradient<width>>(cells);
    case WinogradStep::kernel_gradient:
      return transform<KernelGradient<height>, KernelGradient<width>>(cells);
  }
}

void winograd_transform_vector(WinogradTile tile, WinogradStep step, const WinogradCells& cells) {
  if (tile.height == 4) return transform_tile<4, 4>(step, cells);
  return tile.width == 4 ? transform_tile<2, 4>(step, cells) : transform_tile<2, 2>(step, cells);
}

int64_t lanes_vector() { return lanes; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hornbeam
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hornbeam {

HWY_EXPORT(winograd_transform_vector);
HWY_EXPORT(lanes_vector);

void winograd_transform(WinogradTile tile, WinogradStep step, const WinogradCells& cells) {
  HWY_DYNAMIC_DISPATCH(winograd_transform_vector)(tile, step, cells);
}

int64_t winograd_lanes() { return HWY_DYNAMIC_DISPATCH(lanes_vector)(); }

}  // namespace hornbeam
#endif  // HWY_ONCE
