#include "compile/simplify.h"

#include <algorithm>
#include <cmath>

#include "compile/simplify_rules.h"
#include "ir/interpret.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

// Larger results are computed when running: they would cost memory all through training. Larger
// constants are not looked into.
constexpr int64_t most_folded_elements = 1024;

bool all_constant(std::span<const Expr> operands) {
  return std::all_of(operands.begin(), operands.end(),
                     [](Expr x) { return node_of(x).op == &constant_op; });
}

// Broadcasts stay: kernels read a repeated number from one place.
bool is_foldable(const Node& node) {
  bool simple =
      node.op->op_class == OpClass::elementwise || node.op->op_class == OpClass::structural;
  return simple && node.op != &broadcast_in_dim_op && !node.operands.empty() &&
         node.results.size() == 1 && node.results[0].shape.elements() <= most_folded_elements;
}

Expr fold(const SimplifyContext& context) {
  if (!is_foldable(context.node) || !all_constant(context.x)) return {};
  std::vector<const Tensor*> operands;
  for (Expr x : context.x) operands.push_back(&node_of(x).attrs.tensor("value"));
  return context.build.constant(std::move(interpret_node(context.node, operands)[0]));
}

Expr simplified(const SimplifyContext& context);

// f(repeated a, repeated b) is the repeated f(a, b).
Expr sink_broadcast(const SimplifyContext& context) {
  if (context.node.op->op_class != OpClass::elementwise || context.x.empty()) return {};
  Exprs scalars;
  for (Expr x : context.x) {
    scalars.push_back(repeated_scalar(x));
    if (!scalars.back()) return {};
  }
  Expr scalar = context.build.add(*context.node.op, scalars, context.node.attrs);
  Node inner = node_of(scalar);  // a copy: the list of nodes grows
  Expr simpler = simplified({context.build, inner, scalars});
  return broadcast_in_dim(simpler ? simpler : scalar, context.node.results[0].shape, {});
}

Expr simplified(const SimplifyContext& context) {
  for (std::span<const OpRule> rules : {arithmetic_rules(), structural_rules(), product_rules()})
    for (const OpRule& rule : rules)
      if (rule.op == context.node.op)
        if (Expr result = rule.rule(context)) return result;
  if (Expr result = fold(context)) return result;
  return sink_broadcast(context);
}

Exprs simplify_node(Builder& build, const Node& node, std::span<const Expr> operands,
                    BodyRewrite& simplify_bodies) {
  if (Expr result = simplified({build, node, operands})) {
    check(result.type() == node.results[0], "a simplified value keeps its type");
    return {result};
  }
  if (node.bodies.empty()) return build.add_like(node, operands);
  return build.add_all(*node.op, operands, node.attrs, simplify_bodies(node.bodies));
}

}  // namespace

Expr repeated_scalar(Expr x) {
  const Node& node = node_of(x);
  if (node.op != &broadcast_in_dim_op && node.op != &reshape_op) return {};
  Expr operand = operand_of(x, 0);
  return operand.rank() == 0 && x.rank() > 0 ? operand : Expr{};
}

std::optional<double> uniform_number(Expr x) {
  if (Expr scalar = repeated_scalar(x)) return uniform_number(scalar);
  const Node& node = node_of(x);
  if (node.op != &constant_op) return {};
  const Tensor& value = node.attrs.tensor("value");
  if (value.elements() == 0 || value.elements() > most_folded_elements) return {};
  Tensor numbers = value.converted(DType::float64);
  std::span<const double> all = std::as_const(numbers).values<double>();
  double first = all[0];
  auto equal = [&](double number) {
    return number == first && std::signbit(number) == std::signbit(first);
  };
  if (std::abs(first) > 9007199254740992.0 || !std::all_of(all.begin(), all.end(), equal))
    return {};
  return first;
}

Graph simplify(const Graph& graph) {
  BodyRewrite simplify_bodies(simplify);
  return rewrite_graph(graph,
                       [&](Builder& build, const Node& node, std::span<const Expr> operands) {
                         return simplify_node(build, node, operands, simplify_bodies);
                       });
}

}  // namespace hornbeam
