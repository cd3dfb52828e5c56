// Keras' activation functions that are more than one core op. Each is its formula; where an
// overflow on the side that is not taken would make the gradient NaN, the input of that side is
// replaced first.
#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/rules.h"

namespace hornbeam {
namespace {

using Formula = Expr (*)(Expr x, const Attrs& attrs);

template <Formula formula>
Exprs expand(Builder&, const Node& node, std::span<const Expr> x) {
  return {formula(x[0], node.attrs)};
}

template <Formula formula>
constexpr OpDef activation(std::string_view name) {
  return {.name = name,
          .op_class = OpClass::elementwise,
          .infer = same_floating,
          .expand = expand<formula>};
}

// An activation with one number, named as Keras names it.
template <Formula formula>
constexpr OpDef activation(std::string_view name, std::string_view parameter) {
  OpDef op = activation<formula>(name);
  op.attrs[0] = {parameter, AttrKind::number};
  return op;
}

Expr zero(Expr x) { return full_like(x, 0); }
Expr positive(Expr x) { return compare(x, "GT", 0.0); }
Expr clip(Expr x, double low, double high) { return minimum(maximum(x, low), high); }

Expr elu_formula(Expr x, double alpha) {
  Expr negative = select(positive(x), zero(x), x);
  return select(positive(x), x, alpha * exponential_minus_one(negative));
}

Expr polynomial(Expr x, std::span<const double> coefficients) {
  Expr value = full_like(x, coefficients[0]);
  for (double coefficient : coefficients.subspan(1)) value = value * x + coefficient;
  return value;
}

// W. J. Cody, "Rational Chebyshev approximations for the error function", 1969: x P(x^2) / Q(x^2)
// near 0, beyond 1 - exp(-x^2) P(|x|) / Q(|x|), which also serves beyond his limit of 4, as far as
// that differs from 1. Within 1e-15 of erf in double.
Expr erf_formula(Expr x) {
  constexpr double near_p[] = {1.85777706184603153e-1, 3.16112374387056560e0, 1.13864154151050156e2,
                               3.77485237685302021e2, 3.20937758913846947e3};
  constexpr double near_q[] = {1, 2.36012909523441209e1, 2.44024637934444173e2,
                               1.28261652607737228e3, 2.84423683343917062e3};
  constexpr double far_p[] = {
      2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0,
      6.61191906371416295e1,  2.98635138197400131e2,  8.81952221241769090e2,
      1.71204761263407058e3,  2.05107837782607147e3,  1.23033935479799725e3};
  constexpr double far_q[] = {1,
                              1.57449261107098347e1,
                              1.17693950891312499e2,
                              5.37181101862009858e2,
                              1.62138957456669019e3,
                              3.29079923573345963e3,
                              4.36261909014324716e3,
                              3.43936767414372164e3,
                              1.23033935480374942e3};
  Expr size = minimum(abs(x), 6), square = size * size;
  Expr near = x * polynomial(square, near_p) / polynomial(square, near_q);
  Expr rest = exponential(-square) * polynomial(size, far_p) / polynomial(size, far_q);
  return select(compare(size, "LE", 0.46875), near, sign(x) * (1 - rest));
}

Exprs erf_gradient(Grad& g) {
  return {g.dy[0] * (1.1283791670955126 * exponential(-(g.x[0] * g.x[0])))};
}

Expr gelu_formula(Expr x, bool approximate) {
  if (!approximate) return x * 0.5 * (erf(x * 0.7071067811865476) + 1);
  Expr inner = 0.7978845608028654 * (x + 0.044715 * (x * x * x));
  return x * 0.5 * (tanh(inner) + 1);
}

Expr sparse_plus_formula(Expr x) {
  Expr middle = 0.25 * ((x + 1) * (x + 1));
  return select(compare(x, "LE", -1.0), zero(x), select(compare(x, "GE", 1.0), x, middle));
}

Expr hard_tanh_formula(Expr x) {
  Expr low = select(compare(x, "LT", -1.0), full_like(x, -1), x);
  return select(compare(x, "GT", 1.0), full_like(x, 1), low);
}

Expr soft_shrink_formula(Expr x, double t) {
  Expr low = select(compare(x, "LT", -t), x + t, zero(x));
  return select(compare(x, "GT", t), x - t, low);
}

Exprs relu_gradient(Grad& g) { return {select(positive(g.y[0]), g.dy[0], zero(g.dy[0]))}; }

// 0 at both kinks, as in JAX.
Exprs relu6_gradient(Grad& g) {
  Expr inside = bitwise_and(positive(g.y[0]), compare(g.y[0], "LT", 6.0));
  return {select(inside, g.dy[0], zero(g.dy[0]))};
}

Exprs softplus_gradient(Grad& g) { return {g.dy[0] * logistic(g.x[0])}; }

Expr add(const OpDef& op, Expr x, Attrs attrs = {}) {
  return x.builder->add(op, {x}, std::move(attrs));
}

constexpr OpDef with_gradient(OpDef op, Exprs (*gradient)(Grad&)) {
  op.gradient = gradient;
  return op;
}

using A = const Attrs&;

}  // namespace

const OpDef relu_op =
    with_gradient(activation<[](Expr x, A) { return maximum(x, 0.0); }>("relu"), relu_gradient);
const OpDef relu6_op =
    with_gradient(activation<[](Expr x, A) { return clip(x, 0, 6); }>("relu6"), relu6_gradient);
const OpDef leaky_relu_op = activation<[](Expr x, A a) {
  return select(compare(x, "GE", 0.0), x, a.number("negative_slope") * x);
}>("leaky_relu", "negative_slope");
const OpDef elu_op =
    activation<[](Expr x, A a) { return elu_formula(x, a.number("alpha")); }>("elu", "alpha");
const OpDef selu_op =
    activation<[](Expr x, A) { return 1.0507009873554805 * elu_formula(x, 1.6732632423543772); }>(
        "selu");
const OpDef celu_op = activation<[](Expr x, A a) {
  double alpha = a.number("alpha");
  return maximum(x, 0.0) + alpha * exponential_minus_one(minimum(x, 0.0) / alpha);
}>("celu", "alpha");
const OpDef softplus_op = with_gradient(
    activation<[](Expr x, A) { return maximum(x, 0.0) + log_plus_one(exponential(-abs(x))); }>(
        "softplus"),
    softplus_gradient);
const OpDef erf_op =
    with_gradient(activation<[](Expr x, A) { return erf_formula(x); }>("erf"), erf_gradient);
const OpDef softsign_op = activation<[](Expr x, A) { return x / (abs(x) + 1); }>("softsign");
const OpDef silu_op = activation<[](Expr x, A) { return x * logistic(x); }>("silu");
const OpDef mish_op = activation<[](Expr x, A) { return x * tanh(softplus(x)); }>("mish");
const OpDef log_sigmoid_op = activation<[](Expr x, A) { return -softplus(-x); }>("log_sigmoid");
const OpDef hard_sigmoid_op =
    activation<[](Expr x, A) { return relu6(x + 3) / 6; }>("hard_sigmoid");
const OpDef hard_silu_op = activation<[](Expr x, A) { return x * hard_sigmoid(x); }>("hard_silu");
const OpDef hard_tanh_op = activation<[](Expr x, A) { return hard_tanh_formula(x); }>("hard_tanh");
const OpDef tanh_shrink_op = activation<[](Expr x, A) { return x - tanh(x); }>("tanh_shrink");
const OpDef soft_shrink_op =
    activation<[](Expr x, A a) { return soft_shrink_formula(x, a.number("threshold")); }>(
        "soft_shrink", "threshold");
const OpDef hard_shrink_op = activation<[](Expr x, A a) {
  return select(compare(abs(x), "GT", a.number("threshold")), x, zero(x));
}>("hard_shrink", "threshold");
const OpDef squareplus_op =
    activation<[](Expr x, A a) { return (x + sqrt(x * x + a.number("b"))) / 2; }>("squareplus",
                                                                                  "b");
const OpDef sparse_plus_op =
    activation<[](Expr x, A) { return sparse_plus_formula(x); }>("sparse_plus");
const OpDef sparse_sigmoid_op =
    activation<[](Expr x, A) { return clip(0.5 * (x + 1), 0, 1); }>("sparse_sigmoid");

const OpDef gelu_op{.name = "gelu",
                    .op_class = OpClass::elementwise,
                    .attrs = {{{"approximate", AttrKind::boolean}}},
                    .infer = same_floating,
                    .expand = [](Builder&, const Node& node, std::span<const Expr> x) {
                      return Exprs{gelu_formula(x[0], node.attrs.boolean("approximate"))};
                    }};
const OpDef threshold_op{
    .name = "threshold",
    .op_class = OpClass::elementwise,
    .attrs = {{{"threshold", AttrKind::number}, {"default_value", AttrKind::number}}},
    .infer = same_floating,
    .expand = [](Builder&, const Node& node, std::span<const Expr> x) {
      Expr above = compare(x[0], "GT", node.attrs.number("threshold"));
      return Exprs{select(above, x[0], full_like(x[0], node.attrs.number("default_value")))};
    }};

Expr celu(Expr x, double alpha) { return add(celu_op, x, {{"alpha", alpha}}); }
Expr elu(Expr x, double alpha) { return add(elu_op, x, {{"alpha", alpha}}); }
Expr erf(Expr x) { return add(erf_op, x); }
Expr gelu(Expr x, bool approximate) { return add(gelu_op, x, {{"approximate", approximate}}); }
Expr hard_sigmoid(Expr x) { return add(hard_sigmoid_op, x); }
Expr hard_silu(Expr x) { return add(hard_silu_op, x); }
Expr hard_tanh(Expr x) { return add(hard_tanh_op, x); }
Expr leaky_relu(Expr x, double negative_slope) {
  return add(leaky_relu_op, x, {{"negative_slope", negative_slope}});
}
Expr log_sigmoid(Expr x) { return add(log_sigmoid_op, x); }
Expr mish(Expr x) { return add(mish_op, x); }
Expr relu(Expr x) { return add(relu_op, x); }
Expr relu6(Expr x) { return add(relu6_op, x); }
Expr selu(Expr x) { return add(selu_op, x); }
Expr silu(Expr x) { return add(silu_op, x); }
Expr softplus(Expr x) { return add(softplus_op, x); }
Expr softsign(Expr x) { return add(softsign_op, x); }
Expr squareplus(Expr x, double b) { return add(squareplus_op, x, {{"b", b}}); }
Expr tanh_shrink(Expr x) { return add(tanh_shrink_op, x); }
Expr soft_shrink(Expr x, double t) { return add(soft_shrink_op, x, {{"threshold", t}}); }
Expr hard_shrink(Expr x, double t) { return add(hard_shrink_op, x, {{"threshold", t}}); }
Expr sparse_plus(Expr x) { return add(sparse_plus_op, x); }
Expr sparse_sigmoid(Expr x) { return add(sparse_sigmoid_op, x); }
Expr threshold(Expr x, double t, double default_value) {
  return add(threshold_op, x, {{"threshold", t}, {"default_value", default_value}});
}

}  // namespace hornbeam
