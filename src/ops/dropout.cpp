// Dropout as a function of a key: nothing is kept for the backward pass.
#include <fmt/format.h>

#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/rules.h"

namespace hornbeam {
namespace {

Types dropout_type(const OpUse& use) {
  require_operands(use, 2);
  double rate = use.attrs.number("rate");
  require_types(is_floating(use.operands[0].dtype) && use.operands[1] == Type{DType::int64, {}},
                [&] {
                  return fmt::format("expected floats and an int64 key, received {} and {}",
                                     to_string(use.operands[0]), to_string(use.operands[1]));
                });
  require_types(rate >= 0 && rate <= 1,
                [&] { return fmt::format("expected a rate from 0 to 1, received {}", rate); });
  return {use.operands[0]};
}

Exprs dropout_expand(Builder&, const Node& node, std::span<const Expr> x) {
  double rate = node.attrs.number("rate");
  if (rate == 0) return {x[0]};
  if (rate == 1) return {full_like(x[0], 0)};
  Expr kept = compare(random_uniform(x[1], Shape(x[0].shape())), "GE", rate);
  return {select(kept, x[0] * (1 / (1 - rate)), full_like(x[0], 0))};
}

}  // namespace

const OpDef dropout_op{
    .name = "dropout",
    .attrs = {{{"rate", AttrKind::number}}},
    .infer = dropout_type,
    .expand = dropout_expand,
    .gradient = [](Grad& g) {
      return Exprs{dropout(g.dy[0], g.x[1], g.node.attrs.number("rate")), Expr{}};
    }};

Expr dropout(Expr x, Expr key, double rate) {
  return x.builder->add(dropout_op, {x, key}, {{"rate", rate}});
}

}  // namespace hornbeam
