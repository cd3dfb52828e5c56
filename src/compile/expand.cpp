#include "compile/expand.h"

#include "ir/builder.h"

namespace hornbeam {
namespace {

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
  return inline_graph(build, expansion, operands,
                      [&](Builder& inner, const Node& part, std::span<const Expr> inputs) {
                        return expand_node(inner, part, inputs, claims);
                      });
}

}  // namespace

Graph expand(const Graph& graph, const Claims& claims) {
  return rewrite_graph(graph,
                       [&](Builder& build, const Node& node, std::span<const Expr> operands) {
                         return expand_node(build, node, operands, claims);
                       });
}

}  // namespace hornbeam
