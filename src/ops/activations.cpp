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

// A quotient of polynomials that is within 1.2e-7 of erf; beyond 4 erf is 1 in float32.
Expr erf(Expr x) {
  constexpr double numerator[] = {
      -2.72614225801306e-10, 2.77068142495902e-08,  -2.10102402082508e-06, -5.69250639462346e-05,
      -7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02};
  constexpr double denominator[] = {-1.45660718464996e-05, -2.13374055278905e-04,
                                    -1.68282697438203e-03, -7.37332916720468e-03,
                                    -1.42647390514189e-02};
  Expr clipped = clip(x, -4, 4), square = clipped * clipped;
  auto polynomial = [&](std::span<const double> coefficients) {
    Expr value = full_like(x, coefficients[0]);
    for (double coefficient : coefficients.subspan(1)) value = value * square + coefficient;
    return value;
  };
  return clipped * polynomial(numerator) / polynomial(denominator);
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
const OpDef relu6_op = activation<[](Expr x, A) { return clip(x, 0, 6); }>("relu6");
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
const OpDef softplus_op =
    activation<[](Expr x, A) { return maximum(x, 0.0) + log_plus_one(exponential(-abs(x))); }>(
        "softplus");
const OpDef softsign_op = activation<[](Expr x, A) { return x / (abs(x) + 1); }>("softsign");
const OpDef silu_op = activation<[](Expr x, A) { return x * logistic(x); }>("silu");
const OpDef mish_op = activation<[](Expr x, A) { return x * tanh(softplus(x)); }>("mish");
const OpDef log_sigmoid_op = activation<[](Expr x, A) { return -softplus(-x); }>("log_sigmoid");
const OpDef hard_sigmoid_op =
    activation<[](Expr x, A) { return clip(x + 3, 0, 6) / 6; }>("hard_sigmoid");
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
