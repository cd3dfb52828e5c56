// Builder makes a Graph node by node; Expr is a value of the graph being built.
//
// Equal nodes (same op, operands, attributes and bodies) are one node, so common subexpressions
// cost nothing. Types are checked when a node is added. Operators on Expr are in ops/ops.h.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"

namespace hornbeam {

struct Expr {
  Builder* builder = nullptr;
  Value value;

  explicit operator bool() const { return builder != nullptr; }
  const Type& type() const;
  const Shape& shape() const { return type().shape; }
  DType dtype() const { return type().dtype; }
  int64_t rank() const { return shape().rank(); }
};

class Builder {
 public:
  // With `differentiable`, a composite without a gradient of its own is expanded when it is added,
  // so that gradients() finds only ops it can differentiate.
  explicit Builder(bool differentiable = false) : differentiable_(differentiable) {}
  bool differentiable() const { return differentiable_; }
  void set_differentiable(bool differentiable) { differentiable_ = differentiable; }
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  Expr input(std::string name, Type type, Role role = Role::batch);
  void output(std::string name, Expr value, Role role = Role::result);
  Expr constant(Tensor tensor);
  Expr add(const OpDef& op, std::span<const Expr> operands, Attrs attrs = {}, Bodies bodies = {});
  Exprs add_all(const OpDef& op, std::span<const Expr> operands, Attrs attrs = {},
                Bodies bodies = {});
  Expr add(const OpDef& op, std::initializer_list<Expr> operands, Attrs attrs = {}) {
    return add(op, std::span(operands.begin(), operands.size()), std::move(attrs));
  }

  // Adds a node of another graph with new operands; its types are inferred anew.
  Exprs add_like(const Node& node, std::span<const Expr> operands);

  const Graph& graph() const { return graph_; }
  // Nodes added from now on carry this scope (ir/scope.h). Of equal nodes the first one's stays.
  void set_scope(std::string scope) { scope_ = std::move(scope); }
  const std::string& scope() const { return scope_; }

  // The graph without the nodes that no output needs. The builder is empty afterwards.
  Graph finish();

 private:
  Exprs results_of(uint32_t node);
  uint32_t intern(Node node);

  bool differentiable_;
  Graph graph_;
  std::string scope_;
  std::unordered_multimap<size_t, uint32_t> nodes_by_hash_;
};

// Called for every node of a graph that is copied, with its operands in the new graph; gives the
// results in the new graph. The rewrite of a pass.
using Rewrite = std::function<Exprs(Builder&, const Node&, std::span<const Expr> operands)>;

// The graph that results when every node goes through `rewrite`; ports and scopes are kept.
Graph rewrite_graph(const Graph& graph, const Rewrite& rewrite);
// Rewrites the graphs inside of nodes. One that several nodes share is rewritten once and shared
// again: replicas have their loops in common.
class BodyRewrite {
 public:
  explicit BodyRewrite(std::function<Graph(const Graph&)> rewrite) : rewrite_(std::move(rewrite)) {}

  Bodies operator()(const Bodies& bodies);

 private:
  std::function<Graph(const Graph&)> rewrite_;
  std::map<std::shared_ptr<const Graph>, std::shared_ptr<const Graph>> rewritten_;
};

// Adds all nodes of `graph` to `build`, with `inputs` in place of its inputs; gives its outputs.
Exprs inline_graph(Builder& build, const Graph& graph, std::span<const Expr> inputs);
// The same, with what `rewrite` makes of each node.
Exprs inline_graph(Builder& build, const Graph& graph, std::span<const Expr> inputs,
                   const Rewrite& rewrite);
// The expansion of a composite as a graph: one input for each operand, one output for each result.
Graph expansion_of(const OpDef& op, std::span<const Type> operands, const Attrs& attrs,
                   const Bodies& bodies);

}  // namespace hornbeam
