#include "backends/cpu/kernels/tile_operations.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/tile_operations.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// clang-format off: must follow highway.h
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#ifndef HORNBEAM_TILE_OPERANDS
#define HORNBEAM_TILE_OPERANDS
namespace hornbeam {

// Tiles of an instruction; `count` is a multiple of 16.
struct TileOperands {
  float* to;
  const float* a;
  const float* b;
  const float* c;
  int64_t count;
  uint64_t key;
  uint64_t first;
};

}  // namespace hornbeam
#endif

HWY_BEFORE_NAMESPACE();
namespace hornbeam {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::ScalableTag<float> d;
constexpr hn::ScalableTag<uint32_t> d_words;
using V = hn::Vec<decltype(d)>;
using Words = hn::Vec<decltype(d_words)>;
constexpr int64_t lanes = static_cast<int64_t>(hn::MaxLanes(d));

HWY_INLINE V one() { return hn::Set(d, 1.0f); }
HWY_INLINE V infinity() { return hn::Set(d, std::numeric_limits<float>::infinity()); }
HWY_INLINE V not_a_number() { return hn::Set(d, std::numeric_limits<float>::quiet_NaN()); }
template <class Mask>
HWY_INLINE V truth(Mask mask) {
  return hn::IfThenElseZero(mask, one());
}
// The library's Ne is false for NaN.
HWY_INLINE auto differs(V a, V b) { return hn::Not(hn::Eq(a, b)); }
HWY_INLINE auto is_true(V x) { return differs(x, hn::Zero(d)); }

// The library's functions are for finite arguments in their range; the rest is put right here.
HWY_INLINE V exp_of(V x) {
  const V inside = hn::Min(hn::Max(x, hn::Set(d, -104.0f)), hn::Set(d, 88.72f));
  const V y = hn::Exp(d, inside);
  const V large = hn::IfThenElse(hn::Gt(x, hn::Set(d, 88.7228394f)), infinity(), y);
  return hn::IfThenElse(hn::IsNaN(x), x, large);
}

HWY_INLINE V expm1_of(V x) {
  const V inside = hn::Min(hn::Max(x, hn::Set(d, -104.0f)), hn::Set(d, 88.72f));
  const V y = hn::IfThenElse(hn::Lt(hn::Abs(x), hn::Set(d, 1e-5f)),
                             hn::MulAdd(hn::Mul(x, x), hn::Set(d, 0.5f), x), hn::Expm1(d, inside));
  const V large = hn::IfThenElse(hn::Gt(x, hn::Set(d, 88.7228394f)), infinity(), y);
  return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::Eq(x, hn::Zero(d))), x, large);
}

HWY_INLINE V log_edges(V x, V zero_at, V y) {
  const V at_zero = hn::IfThenElse(hn::Eq(x, zero_at), hn::Neg(infinity()), y);
  const V below = hn::IfThenElse(hn::Lt(x, zero_at), not_a_number(), at_zero);
  return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::Eq(x, infinity())), x, below);
}

HWY_INLINE V log_of(V x) { return log_edges(x, hn::Zero(d), hn::Log(d, x)); }

HWY_INLINE V log1p_of(V x) {
  const V y = hn::IfThenElse(hn::Lt(hn::Abs(x), hn::Set(d, 1e-5f)),
                             hn::NegMulAdd(hn::Mul(x, x), hn::Set(d, 0.5f), x), hn::Log1p(d, x));
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, log_edges(x, hn::Neg(one()), y));
}

HWY_INLINE V tanh_of(V x) {
  const V y = hn::Tanh(d, hn::Min(hn::Max(x, hn::Set(d, -20.0f)), hn::Set(d, 20.0f)));
  const V small = hn::IfThenElse(hn::Lt(hn::Abs(x), hn::Set(d, 1e-4f)), x, y);
  return hn::IfThenElse(hn::IsNaN(x), x, small);
}

// Both halves from exp(-|x|), which cannot overflow.
HWY_INLINE V logistic_of(V x) {
  const V e = exp_of(hn::Neg(hn::Abs(x)));
  const V y = hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one()), hn::Add(one(), e));
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

HWY_INLINE V sign_of(V x) {
  const auto keep = hn::Or(hn::IsNaN(x), hn::Eq(x, hn::Zero(d)));
  return hn::IfThenElse(keep, x, hn::CopySign(one(), x));
}

HWY_INLINE V maximum_of(V a, V b) {
  return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::IsNaN(b)), hn::Add(a, b), hn::Max(a, b));
}

HWY_INLINE V minimum_of(V a, V b) {
  return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::IsNaN(b)), hn::Add(a, b), hn::Min(a, b));
}

// The operands are taken by value: a store of a vector may alias anything, so the compiler would
// read the pointers again after each.
template <class F>
HWY_INLINE void unary(TileOperands on, F&& f) {
  for (int64_t i = 0; i < on.count; i += lanes) hn::StoreU(f(hn::LoadU(d, on.a + i)), d, on.to + i);
}

template <class F>
HWY_INLINE void binary(TileOperands on, F&& f) {
  for (int64_t i = 0; i < on.count; i += lanes)
    hn::StoreU(f(hn::LoadU(d, on.a + i), hn::LoadU(d, on.b + i)), d, on.to + i);
}

template <int bits>
HWY_INLINE Words rotate(Words x) {
  return hn::Or(hn::ShiftLeft<bits>(x), hn::ShiftRight<32 - bits>(x));
}

template <int r0, int r1, int r2, int r3>
HWY_INLINE void four_rounds(Words& x0, Words& x1) {
  x0 = hn::Add(x0, x1), x1 = hn::Xor(rotate<r0>(x1), x0);
  x0 = hn::Add(x0, x1), x1 = hn::Xor(rotate<r1>(x1), x0);
  x0 = hn::Add(x0, x1), x1 = hn::Xor(rotate<r2>(x1), x0);
  x0 = hn::Add(x0, x1), x1 = hn::Xor(rotate<r3>(x1), x0);
}

// threefry of base/rng.h for as many counters as a vector holds.
HWY_INLINE void threefry_of(uint64_t key, Words& x0, Words& x1) {
  const uint32_t low = static_cast<uint32_t>(key), high = static_cast<uint32_t>(key >> 32);
  const uint32_t keys[3] = {low, high, 0x1BD11BDA ^ low ^ high};
  x0 = hn::Add(x0, hn::Set(d_words, keys[0]));
  x1 = hn::Add(x1, hn::Set(d_words, keys[1]));
#pragma GCC unroll 5
  for (uint32_t group = 0; group < 5; ++group) {
    if (group % 2 == 0)
      four_rounds<13, 15, 26, 6>(x0, x1);
    else
      four_rounds<17, 29, 16, 24>(x0, x1);
    x0 = hn::Add(x0, hn::Set(d_words, keys[(group + 1) % 3]));
    x1 = hn::Add(x1, hn::Set(d_words, keys[(group + 2) % 3] + group + 1));
  }
}

// Counters in the order in which interleaving the low and the high words of a vector, a 128-bit
// block at a time, puts them into a row: two of the first half of the row, two of the second, and
// so on.
Words counter_order() {
  alignas(64) uint32_t order[lanes];
  for (uint32_t i = 0; i < lanes; ++i)
    order[i] = i / 4 * 2 + i % 2 + (i % 4 < 2 ? 0 : static_cast<uint32_t>(lanes) / 2);
  return hn::Load(d_words, order);
}

// f(words) for the random words of each vector of elements.
template <class F>
void random_tile(TileOperands on, F&& f) {
  const Words order = counter_order();
  const Words carry = hn::Set(d_words, 1);
  for (int64_t i = 0; i < on.count; i += 2 * lanes) {
    const uint64_t pair = (on.first + static_cast<uint64_t>(i)) / 2;
    Words x0 = hn::Add(hn::Set(d_words, static_cast<uint32_t>(pair)), order);
    Words x1 = hn::Add(hn::Set(d_words, static_cast<uint32_t>(pair >> 32)),
                       hn::IfThenElseZero(hn::Lt(x0, order), carry));
    threefry_of(on.key, x0, x1);
    hn::StoreU(f(hn::InterleaveLower(d_words, x0, x1)), d, on.to + i);
    if (i + lanes < on.count)
      hn::StoreU(f(hn::InterleaveUpper(d_words, x0, x1)), d, on.to + i + lanes);
  }
}

HWY_INLINE auto upper_bits(Words words) {
  return hn::BitCast(hn::ScalableTag<int32_t>(), hn::ShiftRight<8>(words));
}

void uniform_tile(const TileOperands& on) {
  random_tile(on, [](Words words) HWY_ATTR {
    return hn::Mul(hn::ConvertTo(d, upper_bits(words)), hn::Set(d, 0x1p-24f));
  });
}

// The numbers are whole multiples of 2^-24, so they can be compared as whole numbers.
void keep_tile(const TileOperands& on, float rate) {
  const hn::ScalableTag<int32_t> d_int;
  const auto below = hn::Set(d_int, static_cast<int32_t>(std::ceil(rate * 0x1p24f)) - 1);
  random_tile(on, [&](Words words) HWY_ATTR {
    return truth(hn::RebindMask(d, hn::Gt(upper_bits(words), below)));
  });
}

// Outside the range where the library reduces angles well, and for what has no fast way.
template <class F>
void one_by_one(const TileOperands& on, F&& f) {
  for (int64_t i = 0; i < on.count; ++i) on.to[i] = f(on.a[i], on.b[i]);
}

bool all_within(const TileOperands& on, float bound) {
  bool within = true;
  for (int64_t i = 0; i < on.count; ++i) within &= std::abs(on.a[i]) <= bound;
  return within;
}

constexpr float largest_fast_angle = 30000;

template <auto function>
void each(const TileOperands& on) {
  unary(on, function);
}

void sine_tile(const TileOperands& on) {
  if (all_within(on, largest_fast_angle))
    return unary(on, [](V x) HWY_ATTR { return hn::Sin(d, x); });
  one_by_one(on, [](float x, float) { return std::sin(x); });
}

void cosine_tile(const TileOperands& on) {
  if (all_within(on, largest_fast_angle))
    return unary(on, [](V x) HWY_ATTR { return hn::Cos(d, x); });
  one_by_one(on, [](float x, float) { return std::cos(x); });
}

struct UnaryTile {
  TileOp op;
  void (*run)(const TileOperands& on);
};

constexpr UnaryTile unary_tiles[] = {
    {TileOp::copy, each<[](V x) HWY_ATTR { return x; }>},
    {TileOp::negate, each<[](V x) HWY_ATTR { return hn::Neg(x); }>},
    {TileOp::abs, each<[](V x) HWY_ATTR { return hn::Abs(x); }>},
    {TileOp::sign, each<[](V x) HWY_ATTR { return sign_of(x); }>},
    {TileOp::exp, each<[](V x) HWY_ATTR { return exp_of(x); }>},
    {TileOp::expm1, each<[](V x) HWY_ATTR { return expm1_of(x); }>},
    {TileOp::log, each<[](V x) HWY_ATTR { return log_of(x); }>},
    {TileOp::log1p, each<[](V x) HWY_ATTR { return log1p_of(x); }>},
    {TileOp::sqrt, each<[](V x) HWY_ATTR { return hn::Sqrt(x); }>},
    {TileOp::rsqrt, each<[](V x) HWY_ATTR { return hn::Div(one(), hn::Sqrt(x)); }>},
    {TileOp::tanh, each<[](V x) HWY_ATTR { return tanh_of(x); }>},
    {TileOp::logistic, each<[](V x) HWY_ATTR { return logistic_of(x); }>},
    {TileOp::floor, each<[](V x) HWY_ATTR { return hn::Floor(x); }>},
    {TileOp::ceil, each<[](V x) HWY_ATTR { return hn::Ceil(x); }>},
    {TileOp::sine, sine_tile},
    {TileOp::cosine, cosine_tile},
    {TileOp::is_finite, each<[](V x) HWY_ATTR { return truth(hn::Lt(hn::Abs(x), infinity())); }>},
    {TileOp::logical_not, each<[](V x) HWY_ATTR { return truth(hn::Eq(x, hn::Zero(d))); }>},
};

// In the order of the ops, so that one is found by its number.
constexpr bool in_order() {
  for (size_t i = 0; i < std::size(unary_tiles); ++i)
    if (unary_tiles[i].op != static_cast<TileOp>(i)) return false;
  return std::size(unary_tiles) == static_cast<size_t>(TileOp::add);
}
static_assert(in_order());

void run_binary(TileOp op, const TileOperands& on) {
  switch (op) {
    case TileOp::add:
      return binary(on, [](V a, V b) HWY_ATTR { return hn::Add(a, b); });
    case TileOp::subtract:
      return binary(on, [](V a, V b) HWY_ATTR { return hn::Sub(a, b); });
    case TileOp::multiply:
      return binary(on, [](V a, V b) HWY_ATTR { return hn::Mul(a, b); });
    case TileOp::divide:
      return binary(on, [](V a, V b) HWY_ATTR { return hn::Div(a, b); });
    case TileOp::power:
      return one_by_one(on, [](float a, float b) { return std::pow(a, b); });
    case TileOp::remainder:
      return one_by_one(on, [](float a, float b) { return std::fmod(a, b); });
    case TileOp::maximum:
      return binary(on, [](V a, V b) HWY_ATTR { return maximum_of(a, b); });
    case TileOp::minimum:
      return binary(on, [](V a, V b) HWY_ATTR { return minimum_of(a, b); });
    case TileOp::logical_and:
      return binary(on, [](V a, V b) HWY_ATTR { return truth(hn::And(is_true(a), is_true(b))); });
    case TileOp::logical_or:
      return binary(on, [](V a, V b) HWY_ATTR { return truth(hn::Or(is_true(a), is_true(b))); });
    case TileOp::logical_xor:
      return binary(on, [](V a, V b) HWY_ATTR { return truth(hn::Xor(is_true(a), is_true(b))); });
    case TileOp::equal:
      return binary(on, [](V a, V b) HWY_ATTR { return truth(hn::Eq(a, b)); });
    case TileOp::not_equal:
      return binary(on, [](V a, V b) HWY_ATTR { return truth(differs(a, b)); });
    case TileOp::less:
      return binary(on, [](V a, V b) HWY_ATTR { return truth(hn::Lt(a, b)); });
    case TileOp::less_equal:
      return binary(on, [](V a, V b) HWY_ATTR { return truth(hn::Le(a, b)); });
    case TileOp::greater:
      return binary(on, [](V a, V b) HWY_ATTR { return truth(hn::Gt(a, b)); });
    case TileOp::greater_equal:
      return binary(on, [](V a, V b) HWY_ATTR { return truth(hn::Ge(a, b)); });
    default:
      return;
  }
}

void select_tile(TileOperands on) {
  for (int64_t i = 0; i < on.count; i += lanes)
    hn::StoreU(hn::IfThenElse(is_true(hn::LoadU(d, on.a + i)), hn::LoadU(d, on.b + i),
                              hn::LoadU(d, on.c + i)),
               d, on.to + i);
}

void run_instruction(const TileInstruction& instruction, const TileOperands& on) {
  if (instruction.op == TileOp::constant)
    std::fill_n(on.to, on.count, instruction.value);
  else if (instruction.op == TileOp::uniform)
    uniform_tile(on);
  else if (instruction.op == TileOp::keep_mask)
    keep_tile(on, instruction.value);
  else if (instruction.op == TileOp::select)
    select_tile(on);
  else if (instruction.op < TileOp::add)
    unary_tiles[static_cast<size_t>(instruction.op)].run(on);
  else
    run_binary(instruction.op, on);
}

void run_instructions_vector(std::span<const TileInstruction> instructions, float* const* at,
                             std::span<const uint64_t> keys, int64_t first, int64_t count) {
  for (const TileInstruction& each : instructions) {
    const bool random = each.op == TileOp::uniform || each.op == TileOp::keep_mask;
    run_instruction(each, {.to = at[each.to],
                           .a = at[each.a],
                           .b = at[each.b],
                           .c = at[each.c],
                           .count = (count + 15) / 16 * 16,
                           .key = random ? keys[static_cast<size_t>(each.key)] : 0,
                           .first = static_cast<uint64_t>(first)});
  }
}

// Where the iteration stands on every axis but the last, and in the operand.
class Walk {
 public:
  Walk(std::span<const TileAxis> axes, int64_t first) : axes_(axes) {
    for (size_t axis = axes.size(); axis-- > 0; first /= axes[axis].extent) {
      index_[axis] = first % axes[axis].extent;
      offset_ += index_[axis] * axes[axis].stride;
    }
  }
  int64_t offset() const { return offset_; }
  int64_t left_in_run() const { return axes_.back().extent - index_[axes_.size() - 1]; }
  void advance(int64_t run) {
    size_t axis = axes_.size() - 1;
    index_[axis] += run;
    offset_ += run * axes_[axis].stride;
    for (; axis > 0 && index_[axis] == axes_[axis].extent; --axis) {
      offset_ += axes_[axis - 1].stride - index_[axis] * axes_[axis].stride;
      index_[axis] = 0;
      ++index_[axis - 1];
    }
  }

 private:
  std::span<const TileAxis> axes_;
  int64_t index_[most_tile_axes] = {};
  int64_t offset_ = 0;
};

template <class T>
void load_strided(const TileInput& input, const T* from, int64_t first, int64_t count, float* to) {
  Walk walk(input.axes, first);
  const bool repeats = input.axes.back().stride == 0;
  for (int64_t i = 0; i < count;) {
    const int64_t run = std::min(count - i, walk.left_in_run());
    const T* run_from = from + walk.offset();
    if (repeats)
      std::fill_n(to + i, run, static_cast<float>(run_from[0]));
    else
      for (int64_t j = 0; j < run; ++j) to[i + j] = static_cast<float>(run_from[j]);
    walk.advance(run);
    i += run;
  }
}

// The row once, from its element `at` on, then what is there again and again: short rows would be
// slow one by one.
template <class T>
void load_row(const T* row, int64_t extent, int64_t at, int64_t count, float* to) {
  const int64_t once = std::min(count, extent), head = std::min(once, extent - at);
  for (int64_t i = 0; i < head; ++i) to[i] = static_cast<float>(row[at + i]);
  for (int64_t i = head; i < once; ++i) to[i] = static_cast<float>(row[i - head]);
  for (int64_t done = once, run; done < count; done += run) {
    run = std::min(done, count - done);
    std::copy_n(to, run, to + done);
  }
}

// Plain loops, which the compiler turns into the vectors of this instruction set.
template <class T>
void load_elements(const TileInput& input, const T* base, int64_t first, int64_t count, float* to) {
  const T* from = base + input.offset;
  if (input.access == TileAccess::strided) {
    load_strided(input, from, first, count, to);
  } else if (input.access == TileAccess::contiguous) {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[first + i]);
  } else if (input.access == TileAccess::scalar) {
    std::fill_n(to, count, static_cast<float>(from[0]));
  } else if (input.access == TileAccess::row) {
    load_row(from, input.extent, first % input.extent, count, to);
  } else {
    int64_t row = first / input.extent;
    for (int64_t i = 0; i < count; ++row) {
      const int64_t run = std::min(count - i, (row + 1) * input.extent - first - i);
      std::fill_n(to + i, run, static_cast<float>(from[row]));
      i += run;
    }
  }
}

void load_tile_vector(const TileInput& input, const void* from, int64_t first, int64_t count,
                      float* to) {
  switch (input.dtype) {
    case DType::float32:
      return load_elements(input, static_cast<const float*>(from), first, count, to);
    case DType::bfloat16:
      return load_elements(input, static_cast<const BFloat16*>(from), first, count, to);
    case DType::int32:
      return load_elements(input, static_cast<const int32_t*>(from), first, count, to);
    default:  // uint8 and bool
      return load_elements(input, static_cast<const uint8_t*>(from), first, count, to);
  }
}

// NaN becomes 0.
template <class T>
T whole_number(float value) {
  if (!(value > static_cast<float>(std::numeric_limits<T>::min())))
    return value != value ? T{0} : std::numeric_limits<T>::min();
  if (value >= static_cast<float>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

void store_tile_vector(DType dtype, const float* from, int64_t first, int64_t count, void* to) {
  const auto store = [&]<class T>(T* out, auto&& convert) {
    for (int64_t i = 0; i < count; ++i) out[first + i] = convert(from[i]);
  };
  if (dtype == DType::float32)
    store(static_cast<float*>(to), [](float x) { return x; });
  else if (dtype == DType::bfloat16)
    store(static_cast<BFloat16*>(to), [](float x) { return BFloat16(x); });
  else if (dtype == DType::int32)
    store(static_cast<int32_t*>(to), whole_number<int32_t>);
  else if (dtype == DType::uint8)
    store(static_cast<uint8_t*>(to), whole_number<uint8_t>);
  else
    store(static_cast<uint8_t*>(to), [](float x) { return uint8_t{x != 0}; });
}

void add_rows_vector(const float* from, int64_t count, int64_t columns, float* sums) {
  for (int64_t row = 0; row < count; row += columns)
    for (int64_t c = 0; c < columns; ++c) sums[c] += from[row + c];
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hornbeam
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hornbeam {

HWY_EXPORT(run_instructions_vector);
HWY_EXPORT(load_tile_vector);
HWY_EXPORT(store_tile_vector);
HWY_EXPORT(add_rows_vector);

void run_instructions(std::span<const TileInstruction> instructions, float* const* at,
                      std::span<const uint64_t> keys, int64_t first, int64_t count) {
  HWY_DYNAMIC_DISPATCH(run_instructions_vector)(instructions, at, keys, first, count);
}

void load_tile(const TileInput& input, const void* from, int64_t first, int64_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(load_tile_vector)(input, from, first, count, to);
}

void store_tile(DType dtype, const float* from, int64_t first, int64_t count, void* to) {
  HWY_DYNAMIC_DISPATCH(store_tile_vector)(dtype, from, first, count, to);
}

void add_rows(const float* from, int64_t count, int64_t columns, float* sums) {
  HWY_DYNAMIC_DISPATCH(add_rows_vector)(from, count, columns, sums);
}

}  // namespace hornbeam
#endif  // HWY_ONCE
