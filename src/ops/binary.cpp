// Elementwise ops of two or three operands, comparison and conversion.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>

#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/reference.h"
#include "ops/rules.h"

namespace hornbeam {
namespace {

template <class Compute>
void reference(const Node&, std::span<const Tensor* const> x, std::span<Tensor> y) {
  visit(x[0]->dtype(), [&]<class T>() {
    auto left = x[0]->values<T>();
    auto right = x[1]->values<T>();
    auto target = y[0].values<T>();
    if constexpr (requires {
                    { Compute{}(Wide<T>{}, Wide<T>{}) } -> std::same_as<Wide<T>>;
                  })
      for (size_t i = 0; i < left.size(); ++i)
        target[i] = narrow<T>(Compute{}(widen(left[i]), widen(right[i])));
  });
}

uint64_t u(int64_t x) { return static_cast<uint64_t>(x); }
int64_t s(uint64_t x) { return static_cast<int64_t>(x); }

// Integers wrap around.
struct Add {
  double operator()(double a, double b) const { return a + b; }
  int64_t operator()(int64_t a, int64_t b) const { return s(u(a) + u(b)); }
};
struct Subtract {
  double operator()(double a, double b) const { return a - b; }
  int64_t operator()(int64_t a, int64_t b) const { return s(u(a) - u(b)); }
};
struct Multiply {
  double operator()(double a, double b) const { return a * b; }
  int64_t operator()(int64_t a, int64_t b) const { return s(u(a) * u(b)); }
};
// StableHLO leaves integer division by zero to the implementation: -1 here; remainder gives a.
struct Divide {
  double operator()(double a, double b) const { return a / b; }
  int64_t operator()(int64_t a, int64_t b) const {
    if (b == 0) return -1;
    return b == -1 ? s(0 - u(a)) : a / b;
  }
};
struct Remainder {
  double operator()(double a, double b) const { return std::fmod(a, b); }
  int64_t operator()(int64_t a, int64_t b) const {
    if (b == 0) return a;
    return b == -1 ? 0 : a % b;
  }
};
struct Maximum {
  double operator()(double a, double b) const { return std::isnan(a) || a > b ? a : b; }
  int64_t operator()(int64_t a, int64_t b) const { return std::max(a, b); }
};
struct Minimum {
  double operator()(double a, double b) const { return std::isnan(a) || a < b ? a : b; }
  int64_t operator()(int64_t a, int64_t b) const { return std::min(a, b); }
};
struct Power {
  double operator()(double a, double b) const { return std::pow(a, b); }
};
struct And {
  int64_t operator()(int64_t a, int64_t b) const { return a & b; }
};
struct Or {
  int64_t operator()(int64_t a, int64_t b) const { return a | b; }
};
struct Xor {
  int64_t operator()(int64_t a, int64_t b) const { return a ^ b; }
};

// Shifts by as many bits as the type has, or more, give 0.
template <bool left>
void shift_reference(const Node&, std::span<const Tensor* const> x, std::span<Tensor> y) {
  visit(x[0]->dtype(), [&]<class T>() {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      using Bits = std::make_unsigned_t<T>;
      for (size_t i = 0; i < y[0].values<T>().size(); ++i) {
        Bits bits = static_cast<Bits>(x[0]->values<T>()[i]);
        Bits count = static_cast<Bits>(x[1]->values<T>()[i]);
        bool all_out = count >= sizeof(T) * 8;
        y[0].values<T>()[i] = static_cast<T>(all_out ? 0 : left ? bits << count : bits >> count);
      }
    }
  });
}

template <class T>
bool holds(std::string_view direction, T a, T b) {
  if (direction == "EQ") return a == b;
  if (direction == "NE") return a != b;
  if (direction == "LT") return a < b;
  if (direction == "LE") return a <= b;
  if (direction == "GT") return a > b;
  return a >= b;
}

void compare_reference(const Node& node, std::span<const Tensor* const> x, std::span<Tensor> y) {
  const std::string& direction = node.attrs.text("direction");
  visit(x[0]->dtype(), [&]<class T>() {
    for (size_t i = 0; i < x[0]->values<T>().size(); ++i)
      y[0].values<bool>()[i] =
          holds(direction, widen(x[0]->values<T>()[i]), widen(x[1]->values<T>()[i]));
  });
}

Types compare_type(const OpUse& use) {
  require_operands(use, 2);
  require_types(use.operands[0] == use.operands[1], [&] {
    return fmt::format("expected two operands of one type, received {} and {}",
                       to_string(use.operands[0]), to_string(use.operands[1]));
  });
  const std::string& direction = use.attrs.text("direction");
  constexpr std::string_view known[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  require_types(std::ranges::count(known, direction) == 1, [&] {
    return fmt::format("expected a direction EQ NE LT LE GT GE, received '{}'", direction);
  });
  return {{DType::boolean, use.operands[0].shape}};
}

void select_reference(const Node&, std::span<const Tensor* const> x, std::span<Tensor> y) {
  auto predicate = x[0]->values<bool>();
  visit(x[1]->dtype(), [&]<class T>() {
    for (size_t i = 0; i < predicate.size(); ++i)
      y[0].values<T>()[i] = predicate[i] ? x[1]->values<T>()[i] : x[2]->values<T>()[i];
  });
}

Types select_type(const OpUse& use) {
  require_operands(use, 3);
  Type predicate{DType::boolean, use.operands[1].shape};
  require_types(use.operands[0] == predicate && use.operands[1] == use.operands[2], [&] {
    return fmt::format("expected {} and two values of one type, received {}, {} and {}",
                       to_string(predicate), to_string(use.operands[0]), to_string(use.operands[1]),
                       to_string(use.operands[2]));
  });
  return {use.operands[1]};
}

void convert_reference(const Node&, std::span<const Tensor* const> x, std::span<Tensor> y) {
  y[0].convert_from(*x[0]);
}

Types convert_type(const OpUse& use) {
  require_operands(use, 1);
  return {{dtype_from_name(use.attrs.text("dtype")), use.operands[0].shape}};
}

using Rule = Exprs (*)(Grad&);

template <class Compute>
constexpr OpDef pair_op(std::string_view name, Types (*infer)(const OpUse&), Rule gradient) {
  return {.name = name,
          .op_class = OpClass::elementwise,
          .infer = infer,
          .reference = reference<Compute>,
          .gradient = gradient};
}

// Both sides of a tie get half, as in JAX.
Exprs extreme_gradient(Grad& g, std::string_view direction) {
  Expr half = g.dy[0] * 0.5, zero = full_like(g.dy[0], 0);
  Expr tie = compare(g.x[0], "EQ", g.x[1]);
  auto side = [&](Expr mine, Expr other) {
    return select(tie, half, select(compare(mine, direction, other), g.dy[0], zero));
  };
  return {side(g.x[0], g.x[1]), side(g.x[1], g.x[0])};
}

// a^b: b a^(b-1) and a^b log a, each 0 where it is 0 in the limit.
Exprs power_gradient(Grad& g) {
  Expr a = g.x[0], b = g.x[1], zero = full_like(a, 0), one = full_like(a, 1);
  Expr no_exponent = compare(b, "EQ", zero);
  Expr by_a = select(no_exponent, zero, b * power(a, select(no_exponent, one, b - one)));
  Expr no_base = compare(a, "EQ", zero);
  Expr by_b = select(no_base, zero, g.y[0] * log(select(no_base, one, a)));
  return {g.dy[0] * by_a, g.dy[0] * by_b};
}

Exprs select_gradient(Grad& g) {
  Expr zero = full_like(g.dy[0], 0);
  return {Expr{}, select(g.x[0], g.dy[0], zero), select(g.x[0], zero, g.dy[0])};
}

Exprs convert_gradient(Grad& g) {
  bool flows = is_floating(g.x[0].dtype()) && is_floating(g.y[0].dtype());
  return {flows ? convert(g.dy[0], g.x[0].dtype()) : Expr{}};
}

Shape broadcast_shape(const Shape& a, const Shape& b) {
  std::vector<int64_t> extents(static_cast<size_t>(std::max(a.rank(), b.rank())), 1);
  for (const Shape* shape : {&a, &b})
    for (int64_t i = 0; i < shape->rank(); ++i) {
      int64_t& extent = extents[extents.size() - static_cast<size_t>(shape->rank() - i)];
      if (extent == 1) extent = (*shape)[i];
    }
  return Shape(std::move(extents));
}

Expr add_pair(const OpDef& op, Expr a, Expr b, Attrs attrs = {}) {
  Shape shape = broadcast_shape(a.shape(), b.shape());
  return a.builder->add(op, {broadcast_to(a, shape), broadcast_to(b, shape)}, std::move(attrs));
}

Expr beside(Expr x, double value) { return scalar(*x.builder, x.dtype(), value); }

}  // namespace

const OpDef add_op = pair_op<Add>("add", same_pair, [](Grad& g) {
  return Exprs{g.dy[0], g.dy[0]};
});
const OpDef subtract_op = pair_op<Subtract>("subtract", same_pair, [](Grad& g) {
  return Exprs{g.dy[0], -g.dy[0]};
});
const OpDef multiply_op = pair_op<Multiply>("multiply", same_pair, [](Grad& g) {
  return Exprs{g.dy[0] * g.x[1], g.dy[0] * g.x[0]};
});
const OpDef divide_op = pair_op<Divide>("divide", same_pair, [](Grad& g) {
  return Exprs{g.dy[0] / g.x[1], -(g.dy[0] * g.y[0] / g.x[1])};
});
const OpDef remainder_op = pair_op<Remainder>("remainder", same_pair, nullptr);
const OpDef power_op = pair_op<Power>("power", same_floating_pair, power_gradient);
const OpDef maximum_op =
    pair_op<Maximum>("maximum", same_pair, [](Grad& g) { return extreme_gradient(g, "GT"); });
const OpDef minimum_op =
    pair_op<Minimum>("minimum", same_pair, [](Grad& g) { return extreme_gradient(g, "LT"); });
const OpDef and_op = pair_op<And>("and", same_bits_pair, nullptr);
const OpDef or_op = pair_op<Or>("or", same_bits_pair, nullptr);
const OpDef xor_op = pair_op<Xor>("xor", same_bits_pair, nullptr);

const OpDef shift_left_op{.name = "shift_left",
                          .op_class = OpClass::elementwise,
                          .infer = same_integer_pair,
                          .reference = shift_reference<true>};
const OpDef shift_right_logical_op{.name = "shift_right_logical",
                                   .op_class = OpClass::elementwise,
                                   .infer = same_integer_pair,
                                   .reference = shift_reference<false>};
const OpDef compare_op{.name = "compare",
                       .op_class = OpClass::elementwise,
                       .attrs = {{{"direction", AttrKind::text}}},
                       .infer = compare_type,
                       .reference = compare_reference};
const OpDef select_op{.name = "select",
                      .op_class = OpClass::elementwise,
                      .infer = select_type,
                      .reference = select_reference,
                      .gradient = select_gradient};
const OpDef convert_op{.name = "convert",
                       .op_class = OpClass::elementwise,
                       .attrs = {{{"dtype", AttrKind::text}}},
                       .infer = convert_type,
                       .reference = convert_reference,
                       .gradient = convert_gradient};

Expr add(Expr a, Expr b) { return add_pair(add_op, a, b); }
Expr subtract(Expr a, Expr b) { return add_pair(subtract_op, a, b); }
Expr multiply(Expr a, Expr b) { return add_pair(multiply_op, a, b); }
Expr divide(Expr a, Expr b) { return add_pair(divide_op, a, b); }
Expr power(Expr a, Expr b) { return add_pair(power_op, a, b); }
Expr remainder(Expr a, Expr b) { return add_pair(remainder_op, a, b); }
Expr maximum(Expr a, Expr b) { return add_pair(maximum_op, a, b); }
Expr minimum(Expr a, Expr b) { return add_pair(minimum_op, a, b); }
Expr bitwise_and(Expr a, Expr b) { return add_pair(and_op, a, b); }
Expr bitwise_or(Expr a, Expr b) { return add_pair(or_op, a, b); }
Expr bitwise_xor(Expr a, Expr b) { return add_pair(xor_op, a, b); }
Expr shift_left(Expr a, Expr b) { return add_pair(shift_left_op, a, b); }
Expr shift_right_logical(Expr a, Expr b) { return add_pair(shift_right_logical_op, a, b); }

Expr compare(Expr a, std::string_view direction, Expr b) {
  return add_pair(compare_op, a, b, {{"direction", std::string(direction)}});
}

Expr select(Expr predicate, Expr on_true, Expr on_false) {
  Shape shape =
      broadcast_shape(predicate.shape(), broadcast_shape(on_true.shape(), on_false.shape()));
  return predicate.builder->add(select_op,
                                {broadcast_to(predicate, shape), broadcast_to(on_true, shape),
                                 broadcast_to(on_false, shape)});
}

Expr convert(Expr x, DType dtype) {
  if (x.dtype() == dtype) return x;
  return x.builder->add(convert_op, {x}, {{"dtype", std::string(name_of(dtype))}});
}

Expr operator+(Expr a, Expr b) { return add(a, b); }
Expr operator-(Expr a, Expr b) { return subtract(a, b); }
Expr operator*(Expr a, Expr b) { return multiply(a, b); }
Expr operator/(Expr a, Expr b) { return divide(a, b); }
Expr operator+(Expr a, double b) { return a + beside(a, b); }
Expr operator-(Expr a, double b) { return a - beside(a, b); }
Expr operator-(double a, Expr b) { return beside(b, a) - b; }
Expr operator*(Expr a, double b) { return a * beside(a, b); }
Expr operator*(double a, Expr b) { return beside(b, a) * b; }
Expr operator/(Expr a, double b) { return a / beside(a, b); }
Expr operator/(double a, Expr b) { return beside(b, a) / b; }
Expr maximum(Expr a, double b) { return maximum(a, beside(a, b)); }
Expr minimum(Expr a, double b) { return minimum(a, beside(a, b)); }
Expr compare(Expr a, std::string_view direction, double b) {
  return compare(a, direction, beside(a, b));
}

}  // namespace hornbeam
