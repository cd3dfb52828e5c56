#include "compile/expand.h"

#include "ir/builder.h"

namespace hornbeam {
namespace {

Exprs expand_node(Builder& build, const Node& node, std::span<const Expr> operands,
                  const Claims& claims);

// Adds the nodes of an expansion, each expanded in turn.
Exprs inline_expanded(Builder& build, const Graph& graph, std::span<const Expr> inputs,
                      const Claims& claims) {
  std::vector<Exprs> copies;
  for (const Node& node : graph.nodes()) {
    if (node.op == &input_op) {
      copies.push_back({inputs[static_cast<size_t>(node.attrs.integer("number"))]});
      continue;
    }
    Exprs operands;
    for (Value operand : node.operands) operands.push_back(copies[operand.node][operand.index]);
    copies.push_back(expand_node(build, node, operands, claims));
  }
  Exprs outputs;
  for (const Port& port : graph.outputs())
    outputs.push_back(copies[port.value.node][port.value.index]);
  return outputs;
}

Exprs add_with_expanded_bodies(Builder& build, const Node& node, std::span<const Expr> operands,
                               const Claims& claims) {
  Bodies bodies;
  for (const auto& body : node.bodies)
    bodies.push_back(std::make_shared<const Graph>(expand(*body, claims)));
  return build.add_all(*node.op, operands, node.attrs, std::move(bodies));
}

Exprs expand_node(Builder& build, const Node& node, std::span<const Expr> operands,
                  const Claims& claims) {
  Types types;
  for (const Expr& operand : operands) types.push_back(operand.type());
  if (node.op->expand == nullptr || claims(node, types))
    return add_with_expanded_bodies(build, node, operands, claims);
  Graph expansion = expansion_of(*node.op, types, node.attrs, node.bodies);
  return inline_expanded(build, expansion, operands, claims);
}

}  // namespace

Graph expand(const Graph& graph, const Claims& claims) {
  return rewrite_graph(graph,
                       [&](Builder& build, const Node& node, std::span<const Expr> operands) {
                         return expand_node(build, node, operands, claims);
                       });
}

}  // namespace hornbeam
