#include "ops/gradients.h"

#include <fmt/format.h>

#include "ir/scope.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

// Which nodes depend on one of `inputs`, among the first `count` nodes.
std::vector<bool> dependents(const Graph& graph, std::span<const Expr> inputs, size_t count) {
  std::vector<bool> depends(count);
  for (const Expr& input : inputs)
    if (input.value.node < count) depends[input.value.node] = true;
  for (size_t i = 0; i < count; ++i)
    for (Value operand : graph.nodes()[i].operands)
      if (depends[operand.node]) depends[i] = true;
  return depends;
}

class Backward {
 public:
  Backward(Builder& build, size_t count) : build_(build), adjoints_(count) {
    for (size_t i = 0; i < count; ++i) adjoints_[i].resize(build.graph().nodes()[i].results.size());
  }

  Expr& adjoint(Value value) { return adjoints_[value.node][value.index]; }

  void accumulate(Value value, Expr gradient) {
    Expr& sum = adjoint(value);
    check(gradient.type() == build_.graph().type(value), "a gradient has the type of its value");
    sum = sum ? sum + gradient : gradient;
  }

  // Passes the gradients of a node's results on to its operands.
  void visit(uint32_t number, const std::vector<bool>& depends) {
    Node node = build_.graph().nodes()[number];  // a copy: the list grows
    bool reached = false;
    for (const Expr& dy : adjoints_[number]) reached |= static_cast<bool>(dy);
    if (!reached || node.operands.empty()) return;
    build_.set_scope(gradient_scope(node.scope));
    Exprs gradients = operand_gradients(number, node);
    for (size_t i = 0; i < node.operands.size(); ++i)
      if (gradients[i] && depends[node.operands[i].node])
        accumulate(node.operands[i], gradients[i]);
  }

 private:
  Exprs operand_gradients(uint32_t number, const Node& node) {
    if (node.op->gradient == nullptr)
      throw Error("H703", {.message = fmt::format("{} has no gradient", node.op->name),
                           .place = node.scope});
    Exprs x, y;
    for (Value operand : node.operands) x.push_back({&build_, operand});
    for (uint32_t i = 0; i < node.results.size(); ++i) y.push_back({&build_, {number, i}});
    Exprs dy = adjoints_[number];
    Grad grad{build_, node, x, y, dy};
    Exprs gradients = node.op->gradient(grad);
    check(gradients.size() == node.operands.size(), "one gradient for each operand");
    return gradients;
  }

  Builder& build_;
  std::vector<Exprs> adjoints_;
};

}  // namespace

Exprs gradients(Expr output, std::span<const Expr> inputs, Expr seed) {
  Builder& build = *output.builder;
  std::string scope = build.scope();
  size_t count = build.graph().nodes().size();
  std::vector<bool> depends = dependents(build.graph(), inputs, count);
  Backward backward(build, count);
  // Gradients are not differentiated again, so composites may stay whole for the backends.
  bool differentiable = build.differentiable();
  build.set_differentiable(false);
  if (depends[output.value.node])
    backward.accumulate(output.value, seed ? seed : full_like(output, 1));
  for (size_t number = output.value.node + 1; number-- > 0;)
    if (depends[number]) backward.visit(static_cast<uint32_t>(number), depends);
  Exprs results;
  for (const Expr& input : inputs) {
    bool reached = input.value.node < count && backward.adjoint(input.value);
    results.push_back(reached ? backward.adjoint(input.value) : full_like(input, 0));
  }
  build.set_differentiable(differentiable);
  build.set_scope(std::move(scope));
  return results;
}

}  // namespace hornbeam
