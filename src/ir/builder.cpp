#include "ir/builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "ir/verify.h"

namespace hornbeam {
namespace {

size_t hash_of(const Node& node) {
  size_t seed = std::hash<const void*>{}(node.op) ^ node.attrs.hash();
  for (Value operand : node.operands)
    seed = seed * 0x9e3779b97f4a7c15 + (size_t{operand.node} << 8) + operand.index + 1;
  return seed;
}

bool same(const Node& a, const Node& b) {
  return a.op == b.op && a.operands == b.operands && a.attrs == b.attrs && a.bodies == b.bodies;
}

Values values_of(std::span<const Expr> exprs) {
  Values values;
  for (const Expr& expr : exprs) values.push_back(expr.value);
  return values;
}

Types types_of(std::span<const Expr> exprs) {
  Types types;
  for (const Expr& expr : exprs) types.push_back(expr.type());
  return types;
}

std::vector<bool> needed_nodes(const Graph& graph) {
  std::vector<bool> needed(graph.nodes().size());
  for (const Port& output : graph.outputs()) needed[output.value.node] = true;
  for (const Port& input : graph.inputs()) needed[input.value.node] = true;
  for (size_t i = needed.size(); i-- > 0;)
    if (needed[i])
      for (Value operand : graph.nodes()[i].operands) needed[operand.node] = true;
  return needed;
}

}  // namespace

const Type& Expr::type() const { return builder->graph().type(value); }

Expr Builder::input(std::string name, Type type, Role role) {
  Attrs attrs{{"number", static_cast<int64_t>(graph_.inputs_.size())}};
  graph_.nodes_.push_back(
      {.op = &input_op, .attrs = std::move(attrs), .results = {std::move(type)}, .scope = scope_});
  Value value{static_cast<uint32_t>(graph_.nodes_.size() - 1), 0};
  graph_.inputs_.push_back({std::move(name), role, value});
  return {this, value};
}

void Builder::output(std::string name, Expr value, Role role) {
  check(value.builder == this, "an output is a value of the graph being built");
  graph_.outputs_.push_back({std::move(name), role, value.value});
}

Expr Builder::constant(Tensor tensor) {
  return add(constant_op, {}, {{"value", std::make_shared<const Tensor>(std::move(tensor))}});
}

Expr Builder::add(const OpDef& op, std::span<const Expr> operands, Attrs attrs, Bodies bodies) {
  Exprs results = add_all(op, operands, std::move(attrs), std::move(bodies));
  check(results.size() == 1, "an op added as one value has one result");
  return results[0];
}

Exprs Builder::add_all(const OpDef& op, std::span<const Expr> operands, Attrs attrs,
                       Bodies bodies) {
  for (const Expr& operand : operands)
    check(operand.builder == this, "operands are values of the graph being built");
  Node node{.op = &op,
            .operands = values_of(operands),
            .attrs = std::move(attrs),
            .bodies = std::move(bodies),
            .scope = scope_};
  node.results = inferred_types(node, types_of(operands));
  bool inline_it = differentiable_ && op.expand != nullptr && op.gradient == nullptr;
  if (inline_it) return op.expand(*this, node, operands);
  return results_of(intern(std::move(node)));
}

Exprs Builder::add_like(const Node& node, std::span<const Expr> operands) {
  scope_ = node.scope;
  return add_all(*node.op, operands, node.attrs, node.bodies);
}

Exprs Builder::results_of(uint32_t node) {
  Exprs results;
  for (uint32_t index = 0; index < graph_.nodes_[node].results.size(); ++index)
    results.push_back({this, {node, index}});
  return results;
}

uint32_t Builder::intern(Node node) {
  size_t hash = hash_of(node);
  auto [first, last] = nodes_by_hash_.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (same(graph_.nodes_[it->second], node)) return it->second;
  uint32_t number = static_cast<uint32_t>(graph_.nodes_.size());
  graph_.nodes_.push_back(std::move(node));
  nodes_by_hash_.emplace(hash, number);
  return number;
}

Graph Builder::finish() {
  std::vector<bool> needed = needed_nodes(graph_);
  std::vector<uint32_t> renumbered(needed.size());
  Graph result;
  auto moved = [&](Value value) { return Value{renumbered[value.node], value.index}; };
  for (size_t i = 0; i < needed.size(); ++i) {
    if (!needed[i]) continue;
    renumbered[i] = static_cast<uint32_t>(result.nodes_.size());
    result.nodes_.push_back(std::move(graph_.nodes_[i]));
    for (Value& operand : result.nodes_.back().operands) operand = moved(operand);
  }
  result.inputs_ = std::move(graph_.inputs_);
  result.outputs_ = std::move(graph_.outputs_);
  for (Port& input : result.inputs_) input.value = moved(input.value);
  for (Port& output : result.outputs_) output.value = moved(output.value);
  graph_ = {};
  nodes_by_hash_.clear();
  return result;
}

namespace {

// Copies `graph` into `build`; `begin` gives the new values of the inputs.
std::vector<Exprs> copy_nodes(Builder& build, const Graph& graph, std::span<const Expr> inputs,
                              const Rewrite& rewrite) {
  std::vector<Exprs> copies;
  for (const Node& node : graph.nodes()) {
    if (node.op == &input_op) {
      copies.push_back({inputs[static_cast<size_t>(node.attrs.integer("number"))]});
      continue;
    }
    Exprs operands;
    for (Value operand : node.operands) operands.push_back(copies[operand.node][operand.index]);
    copies.push_back(rewrite(build, node, operands));
    check(copies.back().size() == node.results.size(), "a rewrite keeps the number of results");
  }
  return copies;
}

Exprs add_unchanged(Builder& build, const Node& node, std::span<const Expr> operands) {
  return build.add_like(node, operands);
}

}  // namespace

Graph rewrite_graph(const Graph& graph, const Rewrite& rewrite) {
  Builder build;
  Exprs inputs;
  for (const Port& port : graph.inputs()) {
    build.set_scope(graph.node(port.value).scope);
    inputs.push_back(build.input(port.name, graph.type(port.value), port.role));
  }
  std::vector<Exprs> copies =
      copy_nodes(build, graph, inputs, [&](Builder& b, const Node& node, auto operands) {
        b.set_scope(node.scope);
        return rewrite(b, node, operands);
      });
  for (const Port& port : graph.outputs())
    build.output(port.name, copies[port.value.node][port.value.index], port.role);
  return build.finish();
}

Bodies BodyRewrite::operator()(const Bodies& bodies) {
  Bodies rewritten;
  for (const auto& body : bodies) {
    auto& known = rewritten_[body];
    if (known == nullptr) known = std::make_shared<const Graph>(rewrite_(*body));
    rewritten.push_back(known);
  }
  return rewritten;
}

Exprs inline_graph(Builder& build, const Graph& graph, std::span<const Expr> inputs) {
  std::string scope = build.scope();
  Exprs outputs = inline_graph(build, graph, inputs, add_unchanged);
  build.set_scope(std::move(scope));
  return outputs;
}

Exprs inline_graph(Builder& build, const Graph& graph, std::span<const Expr> inputs,
                   const Rewrite& rewrite) {
  check(inputs.size() == graph.inputs().size(), "as many inputs as the graph has");
  std::vector<Exprs> copies = copy_nodes(build, graph, inputs, rewrite);
  Exprs outputs;
  for (const Port& port : graph.outputs())
    outputs.push_back(copies[port.value.node][port.value.index]);
  return outputs;
}

Graph expansion_of(const OpDef& op, std::span<const Type> operands, const Attrs& attrs,
                   const Bodies& bodies) {
  check(op.expand != nullptr, "only a composite has an expansion");
  Builder build;
  Exprs inputs;
  for (const Type& type : operands) inputs.push_back(build.input("operand", type));
  Node node{.op = &op, .operands = values_of(inputs), .attrs = attrs, .bodies = bodies};
  node.results = inferred_types(node, operands);
  for (Expr result : op.expand(build, node, inputs)) build.output("result", result);
  return build.finish();
}

}  // namespace hornbeam
