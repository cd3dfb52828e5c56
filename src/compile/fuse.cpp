#include "compile/fuse.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>

#include "compile/fuse_groups.h"
#include "compile/fused.h"
#include "ir/builder.h"

namespace hornbeam {
namespace {

using Number = FuseGroups::Number;
using Members = FuseGroups::Members;

// The groups in an order in which each can run, as near as possible to the order of the graph.
Members execution_order(const Graph& graph, const FuseGroups& groups) {
  size_t count = graph.nodes().size();
  std::vector<std::set<Number>> users(count);
  std::vector<size_t> missing(count);
  using Entry = std::pair<Number, Number>;  // last member, group
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  auto add_ready = [&](Number group) { ready.push({groups.members(group).back(), group}); };
  for (Number group = 0; group < count; ++group) {
    if (!groups.is_group(group)) continue;
    for (Value input : groups.inputs(group))
      if (users[groups.group_of(input.node)].insert(group).second) ++missing[group];
    if (missing[group] == 0) add_ready(group);
  }
  Members order;
  while (!ready.empty()) {
    Number group = ready.top().second;
    ready.pop();
    order.push_back(group);
    for (Number user : users[group])
      if (--missing[user] == 0) add_ready(user);
  }
  return order;
}

class FusedGraph {
 public:
  FusedGraph(const Graph& graph, const FuseGroups& groups, const FuseRules& rules)
      : graph_(graph),
        groups_(groups),
        fuse_bodies_([&rules](const Graph& body) { return fuse(body, rules); }),
        values_(graph.nodes().size()) {}

  Graph build() {
    for (const Port& port : graph_.inputs()) {
      build_.set_scope(graph_.node(port.value).scope);
      inputs_.push_back(build_.input(port.name, graph_.type(port.value), port.role));
    }
    for (Number group : execution_order(graph_, groups_)) add_group(group);
    for (const Port& port : graph_.outputs())
      build_.output(port.name, values_[port.value.node][port.value.index], port.role);
    return build_.finish();
  }

 private:
  void add_group(Number group) {
    const Members& members = groups_.members(group);
    const Node& node = graph_.nodes()[members[0]];
    bool computes_operands =
        std::any_of(node.operands.begin(), node.operands.end(),
                    [&](Value operand) { return groups_.is_copied(operand.node, group); });
    if (members.size() > 1 || (groups_.is_fusible(members[0]) && computes_operands))
      add_fused(group);
    else
      values_[members[0]] = copy(node);
  }

  Exprs copy(const Node& node) {
    if (node.op == &input_op) return {inputs_[static_cast<size_t>(node.attrs.integer("number"))]};
    Exprs operands;
    for (Value operand : node.operands) operands.push_back(values_[operand.node][operand.index]);
    if (node.bodies.empty() || node.op == &fused_op) return build_.add_like(node, operands);
    build_.set_scope(node.scope);
    return build_.add_all(*node.op, operands, node.attrs, fuse_bodies_(node.bodies));
  }

  void add_fused(Number group) {
    Values inputs = groups_.inputs(group), outputs = groups_.outputs(group);
    Exprs operands;
    for (Value input : inputs) operands.push_back(values_[input.node][input.index]);
    build_.set_scope(main_scope(group));
    Bodies bodies{std::make_shared<const Graph>(body(group, inputs, outputs))};
    Exprs results = build_.add_all(fused_op, operands, {}, std::move(bodies));
    for (size_t i = 0; i < outputs.size(); ++i) values_[outputs[i].node] = {results[i]};
  }

  // That of most members; of several, the one nearest to the results.
  std::string main_scope(Number group) const {
    std::map<std::string_view, size_t> counts;
    std::string_view main;
    for (Number member : groups_.members(group)) {
      std::string_view scope = graph_.nodes()[member].scope;
      if (++counts[scope] >= counts[main]) main = scope;
    }
    return std::string(main);
  }

  Graph body(Number group, const Values& inputs, const Values& outputs) const {
    Builder build;
    std::map<Value, Expr> inside;
    for (Value input : inputs)
      inside[input] = build.input(fmt::format("x{}", inside.size()), graph_.type(input));
    for (Number member : groups_.members(group)) value_inside(build, inside, {member, 0});
    for (size_t i = 0; i < outputs.size(); ++i)
      build.output(fmt::format("y{}", i), inside.at(outputs[i]));
    return build.finish();
  }

  Expr value_inside(Builder& build, std::map<Value, Expr>& inside, Value value) const {
    if (auto found = inside.find(value); found != inside.end()) return found->second;
    const Node& node = graph_.node(value);
    Exprs operands;
    for (Value operand : node.operands) operands.push_back(value_inside(build, inside, operand));
    return inside[value] = build.add_like(node, operands)[0];
  }

  const Graph& graph_;
  const FuseGroups& groups_;
  BodyRewrite fuse_bodies_;
  Builder build_;
  Exprs inputs_;
  std::vector<Exprs> values_;  // by node of the old graph
};

}  // namespace

Graph fuse(const Graph& graph, const FuseRules& rules) {
  return FusedGraph(graph, FuseGroups(graph, rules), rules).build();
}

}  // namespace hornbeam
