// Elementwise ops of one operand.
#include <cmath>
#include <concepts>

#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/reference.h"
#include "ops/rules.h"

namespace hornbeam {
namespace {

// `compute` takes and gives a double for floats, an int64 for integers and bool.
template <auto compute>
void reference(const Node&, std::span<const Tensor* const> x, std::span<Tensor> y) {
  visit(x[0]->dtype(), [&]<class T>() {
    auto source = x[0]->values<T>();
    auto target = y[0].values<T>();
    if constexpr (requires {
                    { compute(Wide<T>{}) } -> std::same_as<Wide<T>>;
                  })
      for (size_t i = 0; i < source.size(); ++i) target[i] = narrow<T>(compute(widen(source[i])));
  });
}

void is_finite_reference(const Node&, std::span<const Tensor* const> x, std::span<Tensor> y) {
  visit(x[0]->dtype(), [&]<class T>() {
    auto source = x[0]->values<T>();
    for (size_t i = 0; i < source.size(); ++i)
      y[0].values<bool>()[i] = std::isfinite(static_cast<double>(widen(source[i])));
  });
}

void not_reference(const Node&, std::span<const Tensor* const> x, std::span<Tensor> y) {
  visit(x[0]->dtype(), [&]<class T>() {
    auto source = x[0]->values<T>();
    auto target = y[0].values<T>();
    if constexpr (std::is_same_v<T, bool>)
      for (size_t i = 0; i < source.size(); ++i) target[i] = !source[i];
    else if constexpr (!is_float_type<T>)
      for (size_t i = 0; i < source.size(); ++i) target[i] = static_cast<T>(~source[i]);
  });
}

Types finite_type(const OpUse& use) {
  Types types = same_floating(use);
  types[0].dtype = DType::boolean;
  return types;
}

double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
double logistic_of(double x) { return 1 / (1 + std::exp(-x)); }

// Wraps around at the smallest integer, as two's complement does.
int64_t negated(int64_t x) { return static_cast<int64_t>(0 - static_cast<uint64_t>(x)); }

struct Abs {
  double operator()(double x) const { return std::fabs(x); }
  int64_t operator()(int64_t x) const { return x < 0 ? negated(x) : x; }
};
struct Negate {
  double operator()(double x) const { return -x; }
  int64_t operator()(int64_t x) const { return negated(x); }
};
struct Sign {
  double operator()(double x) const { return sign_of(x); }
  int64_t operator()(int64_t x) const { return (x > 0) - (x < 0); }
};

using Rule = Exprs (*)(Grad&);
constexpr Rule zero_gradient = [](Grad& g) { return Exprs{full_like(g.x[0], 0)}; };

template <auto compute>
constexpr OpDef float_op(std::string_view name, Rule gradient) {
  return {.name = name,
          .op_class = OpClass::elementwise,
          .infer = same_floating,
          .reference = reference<compute>,
          .gradient = gradient};
}
template <auto compute>
constexpr OpDef number_op(std::string_view name, Rule gradient) {
  OpDef op = float_op<compute>(name, gradient);
  op.infer = same_numeric;
  return op;
}

}  // namespace

// 1 at 0, as in JAX.
const OpDef abs_op = number_op<Abs{}>(
    "abs", [](Grad& g) { return Exprs{select(compare(g.x[0], "GE", 0.0), g.dy[0], -g.dy[0])}; });
const OpDef negate_op = number_op<Negate{}>("negate", [](Grad& g) { return Exprs{-g.dy[0]}; });
const OpDef sign_op = number_op<Sign{}>("sign", zero_gradient);

const OpDef ceil_op = float_op<[](double x) { return std::ceil(x); }>("ceil", zero_gradient);
const OpDef floor_op = float_op<[](double x) { return std::floor(x); }>("floor", zero_gradient);
const OpDef round_nearest_even_op =
    float_op<[](double x) { return std::nearbyint(x); }>("round_nearest_even", zero_gradient);

const OpDef cosine_op = float_op<[](double x) { return std::cos(x); }>(
    "cosine", [](Grad& g) { return Exprs{-(g.dy[0] * sine(g.x[0]))}; });
const OpDef sine_op = float_op<[](double x) { return std::sin(x); }>(
    "sine", [](Grad& g) { return Exprs{g.dy[0] * cosine(g.x[0])}; });
const OpDef exponential_op = float_op<[](double x) { return std::exp(x); }>(
    "exponential", [](Grad& g) { return Exprs{g.dy[0] * g.y[0]}; });
const OpDef exponential_minus_one_op = float_op<[](double x) { return std::expm1(x); }>(
    "exponential_minus_one", [](Grad& g) { return Exprs{g.dy[0] * (g.y[0] + 1)}; });
const OpDef log_op = float_op<[](double x) { return std::log(x); }>(
    "log", [](Grad& g) { return Exprs{g.dy[0] / g.x[0]}; });
const OpDef log_plus_one_op = float_op<[](double x) { return std::log1p(x); }>(
    "log_plus_one", [](Grad& g) { return Exprs{g.dy[0] / (g.x[0] + 1)}; });
const OpDef logistic_op = float_op<logistic_of>(
    "logistic", [](Grad& g) { return Exprs{g.dy[0] * g.y[0] * (1 - g.y[0])}; });
const OpDef sqrt_op = float_op<[](double x) { return std::sqrt(x); }>(
    "sqrt", [](Grad& g) { return Exprs{g.dy[0] * 0.5 / g.y[0]}; });
const OpDef rsqrt_op = float_op<[](double x) { return 1 / std::sqrt(x); }>(
    "rsqrt", [](Grad& g) { return Exprs{g.dy[0] * -0.5 * g.y[0] / g.x[0]}; });
const OpDef tanh_op = float_op<[](double x) { return std::tanh(x); }>(
    "tanh", [](Grad& g) { return Exprs{g.dy[0] * (1 - g.y[0] * g.y[0])}; });

const OpDef is_finite_op{.name = "is_finite",
                         .op_class = OpClass::elementwise,
                         .infer = finite_type,
                         .reference = is_finite_reference};
const OpDef not_op{.name = "not",
                   .op_class = OpClass::elementwise,
                   .infer = same_bits,
                   .reference = not_reference};

namespace {
Expr add(const OpDef& op, Expr x) { return x.builder->add(op, {x}); }
}  // namespace

Expr abs(Expr x) { return add(abs_op, x); }
Expr ceil(Expr x) { return add(ceil_op, x); }
Expr cosine(Expr x) { return add(cosine_op, x); }
Expr exponential(Expr x) { return add(exponential_op, x); }
Expr exponential_minus_one(Expr x) { return add(exponential_minus_one_op, x); }
Expr floor(Expr x) { return add(floor_op, x); }
Expr is_finite(Expr x) { return add(is_finite_op, x); }
Expr log(Expr x) { return add(log_op, x); }
Expr log_plus_one(Expr x) { return add(log_plus_one_op, x); }
Expr logistic(Expr x) { return add(logistic_op, x); }
Expr logical_not(Expr x) { return add(not_op, x); }
Expr negate(Expr x) { return add(negate_op, x); }
Expr round_nearest_even(Expr x) { return add(round_nearest_even_op, x); }
Expr rsqrt(Expr x) { return add(rsqrt_op, x); }
Expr sign(Expr x) { return add(sign_op, x); }
Expr sine(Expr x) { return add(sine_op, x); }
Expr sqrt(Expr x) { return add(sqrt_op, x); }
Expr tanh(Expr x) { return add(tanh_op, x); }
Expr operator-(Expr x) { return negate(x); }

}  // namespace hornbeam
