// Softmax along an axis and its logarithm, safe for large inputs.
#include <fmt/format.h>

#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/rules.h"

namespace hornbeam {
namespace {

Types softmax_type(const OpUse& use) {
  Types types = same_floating(use);
  require_axes({use.attrs.integer("axis")}, types[0].shape.rank(), "axis");
  return types;
}

Exprs softmax_expand(Builder&, const Node& node, std::span<const Expr> x) {
  Integers axis{node.attrs.integer("axis")};
  Expr e = exponential(x[0] - reduce_keep(x[0], "maximum", axis));
  return {e / sum_keep(e, axis)};
}

Exprs log_softmax_expand(Builder&, const Node& node, std::span<const Expr> x) {
  Integers axis{node.attrs.integer("axis")};
  Expr shifted = x[0] - reduce_keep(x[0], "maximum", axis);
  return {shifted - log(sum_keep(exponential(shifted), axis))};
}

Expr add(const OpDef& op, Expr x, int64_t axis) {
  return x.builder->add(op, {x}, {{"axis", normalized_axis(axis, x.rank())}});
}

}  // namespace

const OpDef softmax_op{.name = "softmax",
                       .attrs = {{{"axis", AttrKind::integer}}},
                       .infer = softmax_type,
                       .expand = softmax_expand,
                       .gradient = [](Grad& g) {
                         Expr s = g.dy[0] * g.y[0];
                         Integers axis{g.node.attrs.integer("axis")};
                         return Exprs{s - g.y[0] * sum_keep(s, axis)};
                       }};
const OpDef log_softmax_op{.name = "log_softmax",
                           .attrs = {{{"axis", AttrKind::integer}}},
                           .infer = softmax_type,
                           .expand = log_softmax_expand,
                           .gradient = [](Grad& g) {
                             Integers axis{g.node.attrs.integer("axis")};
                             return Exprs{g.dy[0] - exponential(g.y[0]) * sum_keep(g.dy[0], axis)};
                           }};

Expr softmax(Expr x, int64_t axis) { return add(softmax_op, x, axis); }
Expr log_softmax(Expr x, int64_t axis) { return add(log_softmax_op, x, axis); }

}  // namespace hornbeam
