#include "backends/cpu/kernels/column_sums.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/column_sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hornbeam {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// `term(d, r, c)` gives the vector of terms of row r from column c on.
template <class Term>
HWY_INLINE void sum_columns(int64_t rows, int64_t columns, float* sums, const Term& term) {
  const hn::ScalableTag<float> wide;
  const hn::CappedTag<float, 1> one;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide));
  std::fill_n(sums, columns, 0.0f);
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    int64_t c = 0;
    for (; c + lanes <= columns; c += lanes)
      hn::StoreU(hn::Add(hn::LoadU(wide, sums + c),
                         hn::Add(hn::Add(term(wide, r, c), term(wide, r + 1, c)),
                                 hn::Add(term(wide, r + 2, c), term(wide, r + 3, c)))),
                 wide, sums + c);
    for (; c < columns; ++c)
      hn::StoreU(hn::Add(hn::LoadU(one, sums + c),
                         hn::Add(hn::Add(term(one, r, c), term(one, r + 1, c)),
                                 hn::Add(term(one, r + 2, c), term(one, r + 3, c)))),
                 one, sums + c);
  }
  for (; r < rows; ++r) {
    int64_t c = 0;
    for (; c + lanes <= columns; c += lanes)
      hn::StoreU(hn::Add(hn::LoadU(wide, sums + c), term(wide, r, c)), wide, sums + c);
    for (; c < columns; ++c)
      hn::StoreU(hn::Add(hn::LoadU(one, sums + c), term(one, r, c)), one, sums + c);
  }
}

struct Value {
  template <class D>
  HWY_INLINE auto operator()(D d, int64_t r, int64_t c) const {
    return hn::LoadU(d, x + r * columns + c);
  }
  const float* x;
  int64_t columns;
};

struct Product {
  template <class D>
  HWY_INLINE auto operator()(D d, int64_t r, int64_t c) const {
    return hn::Mul(hn::LoadU(d, x + r * columns + c), hn::LoadU(d, y + r * columns + c));
  }
  const float* x;
  const float* y;
  int64_t columns;
};

struct Centered {
  template <class D>
  HWY_INLINE auto operator()(D d, int64_t r, int64_t c) const {
    return hn::Sub(hn::LoadU(d, x + r * columns + c), hn::LoadU(d, center + c));
  }
  const float* x;
  const float* center;
  int64_t columns;
};

struct CenteredSquare {
  template <class D>
  HWY_INLINE auto operator()(D d, int64_t r, int64_t c) const {
    const auto centered = hn::Sub(hn::LoadU(d, x + r * columns + c), hn::LoadU(d, center + c));
    return hn::Mul(centered, centered);
  }
  const float* x;
  const float* center;
  int64_t columns;
};

// Sixteen partial sums whatever the width of a vector, then a fixed tree.
template <class Term>
HWY_INLINE float sum_row(int64_t count, const Term& term) {
  const hn::ScalableTag<float> wide;
  const hn::CappedTag<float, 1> one;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide)), step = 4 * lanes;
  auto a = hn::Zero(wide), b = a, c = a, e = a;
  int64_t i = 0;
  for (; i + step <= count; i += step) {
    a = hn::Add(a, term(wide, 0, i));
    b = hn::Add(b, term(wide, 0, i + lanes));
    c = hn::Add(c, term(wide, 0, i + 2 * lanes));
    e = hn::Add(e, term(wide, 0, i + 3 * lanes));
  }
  auto rest = hn::Zero(one);
  for (; i < count; ++i) rest = hn::Add(rest, term(one, 0, i));
  return hn::GetLane(hn::SumOfLanes(wide, hn::Add(hn::Add(a, b), hn::Add(c, e)))) +
         hn::GetLane(rest);
}

void column_sums_vector(const float* x, int64_t rows, int64_t columns, float* sums) {
  sum_columns(rows, columns, sums, Value{x, columns});
}

void column_products_vector(const float* x, const float* y, int64_t rows, int64_t columns,
                            float* sums) {
  sum_columns(rows, columns, sums, Product{x, y, columns});
}

void column_centered_sums_vector(const float* x, const float* center, int64_t rows, int64_t columns,
                                 float* sums) {
  sum_columns(rows, columns, sums, Centered{x, center, columns});
}

void column_centered_squares_vector(const float* x, const float* center, int64_t rows,
                                    int64_t columns, float* sums) {
  sum_columns(rows, columns, sums, CenteredSquare{x, center, columns});
}

float row_sum_vector(const float* x, int64_t count) { return sum_row(count, Value{x, 0}); }

float row_product_vector(const float* x, const float* y, int64_t count) {
  return sum_row(count, Product{x, y, 0});
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hornbeam
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hornbeam {

HWY_EXPORT(column_sums_vector);
HWY_EXPORT(column_products_vector);
HWY_EXPORT(column_centered_sums_vector);
HWY_EXPORT(column_centered_squares_vector);
HWY_EXPORT(row_sum_vector);
HWY_EXPORT(row_product_vector);

void column_sums(const float* x, int64_t rows, int64_t columns, float* sums) {
  HWY_DYNAMIC_DISPATCH(column_sums_vector)(x, rows, columns, sums);
}

void column_products(const float* x, const float* y, int64_t rows, int64_t columns, float* sums) {
  HWY_DYNAMIC_DISPATCH(column_products_vector)(x, y, rows, columns, sums);
}

void column_centered_sums(const float* x, const float* center, int64_t rows, int64_t columns,
                          float* sums) {
  HWY_DYNAMIC_DISPATCH(column_centered_sums_vector)(x, center, rows, columns, sums);
}

void column_centered_squares(const float* x, const float* center, int64_t rows, int64_t columns,
                             float* sums) {
  HWY_DYNAMIC_DISPATCH(column_centered_squares_vector)(x, center, rows, columns, sums);
}

float row_sum(const float* x, int64_t count) {
  return HWY_DYNAMIC_DISPATCH(row_sum_vector)(x, count);
}

float row_product(const float* x, const float* y, int64_t count) {
  return HWY_DYNAMIC_DISPATCH(row_product_vector)(x, y, count);
}

}  // namespace hornbeam
#endif  // HWY_ONCE
