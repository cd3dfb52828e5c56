#include "compile/sample_products.h"

#include <algorithm>
#include <map>
#include <optional>

#include "ir/builder.h"
#include "ops/ops.h"
#include "ops/rules.h"

namespace hornbeam {
namespace {

Types sampled_product_type(const OpUse& use) {
  require_operands(use, 3);
  const Type &lhs = use.operands[0], &rhs = use.operands[1], &kept = use.operands[2];
  require_types(lhs.shape.rank() == 2 && rhs.shape.rank() == 2 && lhs.shape[1] == rhs.shape[1] &&
                    kept == Type{lhs.dtype, {lhs.shape[0], rhs.shape[0]}} && lhs.dtype == rhs.dtype,
                "expected (rows, depth), (columns, depth) and (rows, columns)");
  return {kept};
}

Exprs sampled_product_expand(Builder&, const Node&, std::span<const Expr> x) {
  return {select(compare(x[2], "NE", 0), dot_general(x[0], x[1], {{}, {}, {1}, {1}}),
                 full_like(x[2], 0))};
}

// The number that a value is everywhere.
std::optional<double> number_of(const Graph& graph, Value value) {
  const Node* node = &graph.node(value);
  if (node->op == &broadcast_in_dim_op) node = &graph.node(node->operands[0]);
  if (node->op != &constant_op || node->results[0].shape.rank() != 0) return {};
  return node->attrs.tensor("value").converted(DType::float64).values<double>()[0];
}

class Sampler {
 public:
  Sampler(const Graph& graph, const Claims& claims)
      : graph_(graph), claims_(claims), users_(graph.nodes().size()) {
    for (uint32_t number = 0; number < graph.nodes().size(); ++number)
      for (Value operand : graph.nodes()[number].operands) users_[operand.node].push_back(number);
    for (const Port& output : graph.outputs()) users_[output.value.node].push_back(output_user);
  }

  Graph run() {
    return rewrite_graph(graph_,
                         [&](Builder& build, const Node& node, std::span<const Expr> operands) {
                           for (size_t i = 0; i < operands.size(); ++i)
                             copies_[node.operands[i]] = operands[i];
                           return rewritten(build, node, operands);
                         });
  }

 private:
  static constexpr uint32_t output_user = UINT32_MAX;

  Exprs rewritten(Builder& build, const Node& node, std::span<const Expr> operands) {
    const std::optional<Value> kept = kept_of(node);
    if (!kept) return build.add_like(node, operands);
    build.set_scope(node.scope);
    return {build.add(sampled_product_op, {operands[0], operands[1], copies_.at(*kept)})};
  }

  // A value that is not zero wherever the product is used. One condition alone is not enough: about
  // half would be kept, which does not pay.
  std::optional<Value> kept_of(const Node& node) const {
    if (node.op != &dot_general_op || !is_by_rows(node)) return {};
    const Values conditions = conditions_on(static_cast<uint32_t>(&node - graph_.nodes().data()));
    if (conditions.size() < 2) return {};
    for (const Node* earlier = graph_.nodes().data(); earlier != &node; ++earlier) {
      if (earlier->op != &dot_general_op) continue;
      const Value kept = earlier->operands[0];
      if (graph_.type(kept) == node.results[0] && not_zero(kept, conditions) && claimed(node, kept))
        return kept;
    }
    return {};
  }

  static bool is_by_rows(const Node& node) {
    const Integers none, second{1};
    return node.results[0].shape.rank() == 2 && node.attrs.integers("lhs_batching") == none &&
           node.attrs.integers("lhs_contracting") == second &&
           node.attrs.integers("rhs_contracting") == second;
  }

  bool claimed(const Node& node, Value kept) const {
    const Node sampled{.op = &sampled_product_op,
                       .operands = {node.operands[0], node.operands[1], kept},
                       .results = node.results};
    return claims_(
        sampled, {graph_.type(node.operands[0]), graph_.type(node.operands[1]), graph_.type(kept)});
  }

  // What all must be true for a node's value to make a difference: the predicates of selects that
  // give zero otherwise, as long as nothing else uses it.
  Values conditions_on(uint32_t number) const {
    Values conditions;
    while (users_[number].size() == 1 && users_[number][0] != output_user) {
      const Value value{number, 0};
      number = users_[number][0];
      const Node& user = graph_.nodes()[number];
      if (user.op->op_class != OpClass::elementwise) break;
      if (user.op == &select_op && user.operands[1] == value &&
          number_of(graph_, user.operands[2]) == 0.0)
        conditions.push_back(user.operands[0]);
    }
    return conditions;
  }

  // Whether a value differs from zero wherever the conditions are true.
  bool not_zero(Value value, const Values& conditions) const {
    const auto is_condition = [&](Value other) {
      return std::ranges::find(conditions, other) != conditions.end();
    };
    const Node& node = graph_.node(value);
    if (node.op == &select_op)
      return is_condition(node.operands[0]) && not_zero(node.operands[1], conditions);
    if (node.op == &multiply_op && number_of(graph_, node.operands[1]).value_or(0) >= 1)
      return not_zero(node.operands[0], conditions);
    return std::ranges::any_of(conditions, [&](Value condition) {
      const Node& compared = graph_.node(condition);
      return compared.op == &compare_op && compared.attrs.text("direction") == "GT" &&
             compared.operands[0] == value && number_of(graph_, compared.operands[1]) == 0.0;
    });
  }

  const Graph& graph_;
  const Claims& claims_;
  std::vector<std::vector<uint32_t>> users_;
  std::map<Value, Expr> copies_;  // of values of the old graph that something has read
};

}  // namespace

const OpDef sampled_product_op{
    .name = "sampled_product", .infer = sampled_product_type, .expand = sampled_product_expand};

Graph sample_products(const Graph& graph, const Claims& claims) {
  return Sampler(graph, claims).run();
}

}  // namespace hornbeam
