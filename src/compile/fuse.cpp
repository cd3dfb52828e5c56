#include "compile/fuse.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>
#include <set>

#include "base/error.h"
#include "compile/fused.h"
#include "ir/builder.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

using Number = uint32_t;  // of a node, or of a group: the number of the node that started it
using Members = std::vector<Number>;

class Grouping {
 public:
  Grouping(const Graph& graph, const FuseRules& rules)
      : graph_(graph),
        rules_(rules),
        group_(graph.nodes().size()),
        members_(graph.nodes().size()),
        users_(graph.nodes().size()),
        is_output_(graph.nodes().size()),
        costly_before_(graph.nodes().size() + 1) {
    for (Number number = 0; number < group_.size(); ++number) {
      const Node& node = graph.nodes()[number];
      group_[number] = number;
      members_[number] = {number};
      for (Value operand : node.operands) users_[operand.node].push_back(number);
      costly_before_[number + 1] = costly_before_[number] + (is_costly(node) ? 1 : 0);
    }
    for (const Port& output : graph.outputs()) is_output_[output.value.node] = true;
  }

  void build() {
    for (Number number = static_cast<Number>(group_.size()); number-- > 0;)
      if (is_fusible(number)) join_users(number);
    // A merge can make way for another: the first moment joins the weight behind the second one.
    for (bool changed = true; changed;) {
      changed = false;
      for (Number number = 0; number < group_.size(); ++number)
        if (is_fusible(number) && merge_with_a_user(number)) changed = true;
    }
  }

  bool is_fusible(Number number) const {
    const Node& node = graph_.nodes()[number];
    bool kind = !is_free_op(*node.op) && node.op != &input_op && node.results.size() == 1;
    return kind && rules_.takes(graph_, node);
  }

  const Members& members(Number group) const { return members_[group]; }
  Number group_of(Number node) const { return group_[node]; }
  // Copied into every group that uses it.
  bool is_free(Number number) const {
    const Node& node = graph_.nodes()[number];
    return is_free_op(*node.op) && rules_.takes(graph_, node);
  }

  // Values of the group that are used outside it.
  Values outputs(Number group) const {
    Values values;
    for (Number member : members_[group])
      if (used_outside(member, group)) values.push_back({member, 0});
    return values;
  }

  // Values from outside that the group reads, through the nodes that are copied into it.
  Values inputs(Number group) const {
    std::set<Value> values;
    for (Number member : members_[group])
      for (Value operand : graph_.nodes()[member].operands) add_input(values, operand, group);
    return {values.begin(), values.end()};
  }

 private:
  static bool is_free_op(const OpDef& op) {
    return &op == &broadcast_in_dim_op || &op == &constant_op || &op == &iota_op;
  }

  static bool is_costly(const Node& node) {
    return node.op->op_class == OpClass::other && node.op != &input_op && !is_free_op(*node.op);
  }

  const Shape& shape(Number number) const { return graph_.nodes()[number].results[0].shape; }

  void add_input(std::set<Value>& values, Value value, Number group) const {
    if (group_[value.node] == group) return;
    if (!is_free(value.node)) {
      values.insert(value);
      return;
    }
    for (Value operand : graph_.nodes()[value.node].operands) add_input(values, operand, group);
  }

  bool used_outside(Number member, Number group) const {
    return is_output_[member] || std::any_of(users_[member].begin(), users_[member].end(),
                                             [&](Number user) { return group_[user] != group; });
  }

  bool costly_between(Number first, Number second) const {
    return costly_before_[second] > costly_before_[std::min(first + 1, second)];
  }

  // Moving a node to a later place keeps its operands alive for longer instead of its result.
  bool would_keep_more(Number number, Number group) const {
    int64_t whole_operands = 0;
    for (Value operand : graph_.nodes()[number].operands)
      whole_operands += graph_.type(operand).shape == shape(number) && !is_free(operand.node);
    return whole_operands > 1 && costly_between(number, members_[group].front());
  }

  void join_users(Number number) {
    if (is_output_[number] || users_[number].empty()) return;
    Number group = group_[users_[number][0]];
    for (Number user : users_[number])
      if (group_[user] != group || !is_fusible(user) || shape(user) != shape(number)) return;
    if (!would_keep_more(number, group) && fits(number, group)) merge(number, group);
  }

  bool merge_with_a_user(Number number) {
    Number group = group_[number];
    for (Number user : users_[number]) {
      Number other = group_[user];
      if (other == group || !is_fusible(user) || shape(user) != shape(number)) continue;
      if (costly_between(number, user)) break;
      if (!fits(group, other) || reaches_around(group, other)) continue;
      merge(group, other);
      return true;
    }
    return false;
  }

  void merge(Number from, Number into) {
    for (Number member : members_[from]) group_[member] = into;
    Members& all = members_[into];
    all.insert(all.end(), members_[from].begin(), members_[from].end());
    std::sort(all.begin(), all.end());
    members_[from].clear();
  }

  // Whether the union of two groups is within the limits.
  bool fits(Number a, Number b) {
    if (members_[a].size() + members_[b].size() > rules_.most_nodes) return false;
    Members before_a = members_[a], before_b = members_[b];
    merge(a, b);
    bool fit = inputs(b).size() <= rules_.most_inputs && outputs(b).size() <= rules_.most_outputs;
    for (Number member : before_a) group_[member] = a;
    members_[a] = std::move(before_a);
    members_[b] = std::move(before_b);
    return fit;
  }

  // Whether `user` depends on `producer` through a third group: as one node they would wait for
  // themselves.
  bool reaches_around(Number producer, Number user) const {
    std::vector<bool> seen(group_.size());
    Members waiting;
    auto visit_operands = [&](Number group, bool first) {
      for (Number member : members_[group])
        for (Value operand : graph_.nodes()[member].operands) {
          Number next = group_[operand.node];
          if (next == user || seen[next] || (first && next == producer)) continue;
          seen[next] = true;
          waiting.push_back(next);
        }
    };
    visit_operands(user, true);
    while (!waiting.empty()) {
      Number group = waiting.back();
      waiting.pop_back();
      if (group == producer) return true;
      visit_operands(group, false);
    }
    return false;
  }

  const Graph& graph_;
  const FuseRules& rules_;
  std::vector<Number> group_;     // by node
  std::vector<Members> members_;  // by group, ascending
  std::vector<Members> users_;    // by node
  std::vector<bool> is_output_;   // by node
  std::vector<int> costly_before_;
};

// The groups in an order in which each can run, as near as possible to the order of the graph.
Members execution_order(const Graph& graph, const Grouping& grouping) {
  size_t count = graph.nodes().size();
  std::vector<std::set<Number>> users(count);
  std::vector<size_t> missing(count);
  for (Number number = 0; number < count; ++number)
    for (Value operand : graph.nodes()[number].operands) {
      Number from = grouping.group_of(operand.node), to = grouping.group_of(number);
      if (from != to && users[from].insert(to).second) ++missing[to];
    }
  using Entry = std::pair<Number, Number>;  // last member, group
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  auto add_ready = [&](Number group) { ready.push({grouping.members(group).back(), group}); };
  for (Number number = 0; number < count; ++number)
    if (grouping.group_of(number) == number && missing[number] == 0) add_ready(number);
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
  FusedGraph(const Graph& graph, const Grouping& grouping, const FuseRules& rules)
      : graph_(graph), grouping_(grouping), rules_(rules), values_(graph.nodes().size()) {}

  Graph build() {
    for (const Port& port : graph_.inputs()) {
      build_.set_scope(graph_.node(port.value).scope);
      inputs_.push_back(build_.input(port.name, graph_.type(port.value), port.role));
    }
    for (Number group : execution_order(graph_, grouping_)) add_group(group);
    for (const Port& port : graph_.outputs())
      build_.output(port.name, values_[port.value.node][port.value.index], port.role);
    return build_.finish();
  }

 private:
  void add_group(Number group) {
    const Members& members = grouping_.members(group);
    const Node& node = graph_.nodes()[members[0]];
    bool reads_free_nodes =
        std::any_of(node.operands.begin(), node.operands.end(),
                    [&](Value operand) { return grouping_.is_free(operand.node); });
    if (members.size() > 1 || (grouping_.is_fusible(members[0]) && reads_free_nodes))
      add_fused(group);
    else
      values_[members[0]] = copy(node);
  }

  Exprs copy(const Node& node) {
    if (node.op == &input_op) return {inputs_[static_cast<size_t>(node.attrs.integer("number"))]};
    Exprs operands;
    for (Value operand : node.operands) operands.push_back(values_[operand.node][operand.index]);
    if (node.bodies.empty() || node.op == &fused_op) return build_.add_like(node, operands);
    Bodies bodies;
    for (const auto& body : node.bodies)
      bodies.push_back(std::make_shared<const Graph>(fuse(*body, rules_)));
    build_.set_scope(node.scope);
    return build_.add_all(*node.op, operands, node.attrs, std::move(bodies));
  }

  void add_fused(Number group) {
    Values inputs = grouping_.inputs(group), outputs = grouping_.outputs(group);
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
    for (Number member : grouping_.members(group)) {
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
    for (Number member : grouping_.members(group)) value_inside(build, inside, {member, 0});
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
  const Grouping& grouping_;
  const FuseRules& rules_;
  Builder build_;
  Exprs inputs_;
  std::vector<Exprs> values_;  // by node of the old graph
};

}  // namespace

Graph fuse(const Graph& graph, const FuseRules& rules) {
  Grouping grouping(graph, rules);
  grouping.build();
  return FusedGraph(graph, grouping, rules).build();
}

}  // namespace hornbeam
