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

// As BFloat16 rounds: half a last bit is added, less when the last bit that stays is 0, and the
// lower half cut off.
HWY_INLINE V rounded_to_bfloat16(V x) {
  const Words word = hn::BitCast(d_words, x);
  const Words odd = hn::And(hn::ShiftRight<16>(word), hn::Set(d_words, 1));
  const Words sum = hn::Add(word, hn::Add(odd, hn::Set(d_words, 0x7fff)));
  const V rounded = hn::BitCast(d, hn::And(sum, hn::Set(d_words, 0xffff0000)));
  return hn::IfThenElse(hn::IsNaN(x), x, rounded);
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
    {TileOp::round_bfloat16, each<[](V x) HWY_ATTR { return rounded_to_bfloat16(x); }>},
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

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hornbeam
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hornbeam {

HWY_EXPORT(run_instructions_vector);

void run_instructions(std::span<const TileInstruction> instructions, float* const* at,
                      std::span<const uint64_t> keys, int64_t first, int64_t count) {
  HWY_DYNAMIC_DISPATCH(run_instructions_vector)(instructions, at, keys, first, count);
}

}  // namespace hornbeam
#endif  // HWY_ONCE
