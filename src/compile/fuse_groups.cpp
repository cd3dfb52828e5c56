#include "compile/fuse_groups.h"

#include <algorithm>
#include <utility>

#include "compile/fused.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

using Number = FuseGroups::Number;

// The work of an operation on an element, in half bytes that memory moves in that time.
int64_t work_of(const Node& node) {
  static const std::set<const OpDef*> slow{&exponential_op, &exponential_minus_one_op,
                                           &log_op,         &log_plus_one_op,
                                           &logistic_op,    &tanh_op,
                                           &sine_op,        &cosine_op,
                                           &power_op,       &remainder_op};
  if (node.op == &random_bits_op) return 12;
  return slow.contains(node.op) ? 24 : 1;
}

// Copied into every group that uses them.
bool is_free_op(const OpDef& op) {
  return &op == &broadcast_in_dim_op || &op == &constant_op || &op == &iota_op ||
         &op == &slice_op || &op == &reshape_op;
}

}  // namespace

FuseGroups::FuseGroups(const Graph& graph, const FuseRules& rules)
    : graph_(graph),
      rules_(rules),
      group_(graph.nodes().size()),
      members_(graph.nodes().size()),
      copied_into_(graph.nodes().size()),
      copies_in_(graph.nodes().size()),
      in_memory_(graph.nodes().size(), true),
      users_(graph.nodes().size()),
      is_output_(graph.nodes().size()),
      fusible_(graph.nodes().size()),
      free_(graph.nodes().size()),
      costly_before_(graph.nodes().size() + 1) {
  for (Number number = 0; number < group_.size(); ++number) {
    const Node& node = graph.nodes()[number];
    group_[number] = number;
    members_[number] = {number};
    for (Value operand : node.operands) users_[operand.node].push_back(number);
    bool made = node.op != &input_op && node.results.size() == 1 && rules.takes(graph, node);
    free_[number] = made && is_free_op(*node.op);
    fusible_[number] = made && !free_[number];
    bool costly = node.op->op_class == OpClass::other && !made && node.op != &input_op &&
                  !is_free_op(*node.op);
    costly_before_[number + 1] = costly_before_[number] + (costly ? 1 : 0);
  }
  for (const Port& output : graph.outputs()) is_output_[output.value.node] = true;
  merge_sums();
  for (Number number = static_cast<Number>(group_.size()); number-- > 0;)
    if (fusible_[number]) place(number);
  // A merge can make way for another: the first moment joins the weight behind the second one.
  for (bool changed = true; changed;) {
    changed = false;
    for (Number number = 0; number < group_.size(); ++number)
      if (fusible_[number] && in_memory_[number] && merge_with_a_user(number)) changed = true;
  }
}

// --- what a group reads and gives ---

bool FuseGroups::inside(Number number, Groups groups) const {
  return std::any_of(groups.begin(), groups.end(), [&](Number group) {
    return group_[number] == group || copied_into_[number].contains(group);
  });
}

// Adds what the groups read; gives the number of nodes in them.
size_t FuseGroups::collect(Groups groups, std::set<Value>& inputs) const {
  std::set<Number> seen;
  Members waiting;
  for (Number group : groups)
    waiting.insert(waiting.end(), members_[group].begin(), members_[group].end());
  while (!waiting.empty()) {
    Number number = waiting.back();
    waiting.pop_back();
    if (!seen.insert(number).second) continue;
    // A node that is no part of a fused one reads its operands as they are.
    bool alone = !fusible_[number] && inside(number, groups);
    for (Value operand : graph_.nodes()[number].operands)
      if (!alone && (free_[operand.node] || inside(operand.node, groups)))
        waiting.push_back(operand.node);
      else
        inputs.insert(operand);
  }
  return seen.size();
}

Values FuseGroups::inputs(Groups groups) const {
  std::set<Value> values;
  collect(groups, values);
  return {values.begin(), values.end()};
}

Values FuseGroups::outputs(Groups groups) const {
  Values values;
  for (Number group : groups)
    for (Number member : members_[group])
      if (is_read_outside(member, groups)) values.push_back({member, 0});
  std::sort(values.begin(), values.end());
  return values;
}

// The groups that compute a node.
std::set<Number> FuseGroups::places(Number user) const {
  std::set<Number> all = copied_into_[user];
  if (in_memory_[user]) all.insert(group_[user]);
  return all;
}

std::set<Number> FuseGroups::readers(Number number) const {
  std::set<Number> all;
  for (Number user : users_[number])
    if (goes_on_in(number, user)) all.merge(places(user));
  return all;
}

bool FuseGroups::is_read_outside(Number number, Groups groups) const {
  if (is_output_[number]) return true;
  for (Number user : users_[number])
    for (Number place : places(user)) {
      bool within = std::find(groups.begin(), groups.end(), place) != groups.end();
      if (!within && !copied_into_[number].contains(place)) return true;
    }
  return false;
}

// --- what may go together ---

bool FuseGroups::is_sum(Number number) const {
  return fusible_[number] && is_sum_of_rows(graph_, graph_.nodes()[number]);
}

const Shape& FuseGroups::worked_shape(Number number) const {
  if (!is_sum(number)) return result_shape(number);
  return graph_.type(graph_.nodes()[number].operands[0]).shape;
}

// Whether a user works element by element on the results of a node as they are made.
bool FuseGroups::goes_on_in(Number number, Number user) const {
  return fusible_[user] && !is_sum(number) && worked_shape(user) == result_shape(number);
}

bool FuseGroups::needs_memory(Number number) const {
  return is_output_[number] || std::any_of(users_[number].begin(), users_[number].end(),
                                           [&](Number user) { return !goes_on_in(number, user); });
}

bool FuseGroups::costly_between(Number first, Number second) const {
  return costly_before_[second] > costly_before_[std::min(first + 1, second)];
}

bool FuseGroups::fits(Groups groups) const {
  std::set<Value> read;
  return collect(groups, read) <= rules_.most_nodes && read.size() <= rules_.most_inputs &&
         outputs(groups).size() <= rules_.most_outputs;
}

// Whether a group waits for another: directly, or through a third one.
bool FuseGroups::depends(Number user, Number producer, bool directly) const {
  std::vector<bool> seen(group_.size());
  Members waiting{user};
  for (bool first = true; !waiting.empty(); first = false) {
    Number group = waiting.back();
    waiting.pop_back();
    for (Value input : inputs(group)) {
      Number next = group_[input.node];
      if (next == user || seen[next]) continue;
      if (next == producer && (directly || !first)) return true;
      if (next == producer) continue;
      seen[next] = true;
      waiting.push_back(next);
    }
  }
  return false;
}

void FuseGroups::merge(Number from, Number into) {
  for (Number member : members_[from]) group_[member] = into;
  Members& all = members_[into];
  all.insert(all.end(), members_[from].begin(), members_[from].end());
  std::sort(all.begin(), all.end());
  members_[from].clear();
  for (Number number : std::exchange(copies_in_[from], {})) {
    copied_into_[number].erase(from);
    copy_into(number, into);
  }
  for (Number member : all)
    if (copies_in_[into].erase(member) > 0) copied_into_[member].erase(into);
}

void FuseGroups::copy_into(Number number, Number group) {
  copied_into_[number].insert(group);
  copies_in_[group].insert(number);
}

// --- sums over the same elements ---

bool FuseGroups::works_on_the_same(Number a, Number b) const {
  std::set<Value> leaves = chain_of(a, {}).leaves;
  for (Value leaf : chain_of(b, {}).leaves)
    if (leaves.contains(leaf) && graph_.type(leaf).shape == worked_shape(a)) return true;
  return false;
}

void FuseGroups::merge_sums() {
  Members sums;
  for (Number number = 0; number < group_.size(); ++number)
    if (is_sum(number)) sums.push_back(number);
  for (size_t i = 0; i + 1 < sums.size(); ++i) {
    Number first = group_[sums[i]], second = sums[i + 1];
    if (worked_shape(first) != worked_shape(second) || costly_between(first, second)) continue;
    if (!works_on_the_same(first, second) || depends(second, first, true)) continue;
    Number both[] = {first, second};
    if (fits(both)) merge(first, second);
  }
}

// --- nodes and their users ---

void FuseGroups::place(Number number) {
  std::set<Number> groups = readers(number);
  if (groups.empty() || is_output_[number]) return;
  if (groups.size() == 1 && !needs_memory(number)) {
    join(number, *groups.begin());
    return;
  }
  copy_where_cheaper(number, groups);
  // What it reads is then placed knowing all that its group reads.
  if (in_memory_[number]) merge_with_a_user(number);
}

void FuseGroups::join(Number number, Number group) {
  Number both[] = {group_[number], group};
  if (!would_keep_more(number, group) && fits(both)) merge(group_[number], group);
}

// Moving a node to a later place keeps its operands alive for longer instead of its result.
bool FuseGroups::would_keep_more(Number number, Number group) const {
  int64_t whole_operands = 0;
  for (Value operand : graph_.nodes()[number].operands)
    whole_operands += graph_.type(operand).shape == result_shape(number) && !free_[operand.node];
  return whole_operands > 1 && costly_between(number, members_[group].front());
}

bool FuseGroups::merge_with_a_user(Number number) {
  for (Number user : users_[number]) {
    if (!goes_on_in(number, user)) continue;
    for (Number other : places(user))
      if (merge_unless_costly(number, user, other)) return true;
  }
  return false;
}

bool FuseGroups::merge_unless_costly(Number number, Number user, Number other) {
  Number group = group_[number];
  Number runs = group_[user] == other ? user : members_[other].front();
  if (other == group || costly_between(number, runs)) return false;
  Number both[] = {group, other};
  if (!fits(both) || depends(other, group, false)) return false;
  merge(group, other);
  return true;
}

// --- computing again what is cheap ---

// What a node can be computed from, element by element, without a value that only it would need;
// what is read anyway costs nothing.
FuseGroups::Chain FuseGroups::chain_of(Number number, const std::set<Value>& read) const {
  Chain chain;
  extend(chain, number, read);
  return chain;
}

void FuseGroups::extend(Chain& chain, Number number, const std::set<Value>& read) const {
  if (!chain.nodes.insert(number).second) return;
  const Node& node = graph_.nodes()[number];
  if (!free_[number]) chain.work += work_of(node) * result_shape(number).elements() / 2;
  for (Value operand : node.operands) {
    if (read.contains(operand)) continue;
    bool goes_on =
        free_[operand.node] || (is_made_within(operand, number) && !needs_memory(operand.node));
    if (goes_on)
      extend(chain, operand.node, read);
    else
      chain.leaves.insert(operand);
  }
}

bool FuseGroups::is_made_within(Value operand, Number user) const {
  return fusible_[operand.node] && goes_on_in(operand.node, user);
}

// What it takes to compute a node in a group that has its reasons to read `read`.
FuseGroups::CopyCost FuseGroups::cost_of_copy(Number number, const std::set<Value>& read) const {
  Chain chain = chain_of(number, read);
  CopyCost cost{.bytes = chain.work, .nodes = chain.nodes.size()};
  for (Value leaf : chain.leaves) {
    CopyCost again{.bytes = bytes(leaf), .new_leaves = {leaf}};
    if (is_made_within(leaf, number)) {
      CopyCost made = cost_of_copy(leaf.node, read);
      if (made.bytes < again.bytes) again = made;
    }
    cost.bytes += again.bytes;
    cost.nodes += again.nodes;
    cost.new_leaves.merge(again.new_leaves);
  }
  return cost;
}

// The bytes of leaves that a group would keep alive beyond costly work.
int64_t FuseGroups::kept_alive(Number number, const std::set<Value>& leaves, Number group) const {
  if (!costly_between(number, members_[group].front())) return 0;
  int64_t kept = 0;
  for (Value leaf : leaves) kept += bytes(leaf);
  return kept;
}

void FuseGroups::copy_where_cheaper(Number number, const std::set<Number>& groups) {
  int64_t own = bytes({number, 0}), copies = 0, kept = 0, least = own;
  bool possible = !needs_memory(number);
  std::set<Number> cheaper;
  for (Number group : groups) {
    std::set<Value> read;
    size_t nodes = collect({&group, 1}, read);
    CopyCost cost = cost_of_copy(number, read);
    bool fit = read.size() + cost.new_leaves.size() <= rules_.most_inputs &&
               nodes + cost.nodes <= rules_.most_nodes;
    possible = possible && fit;
    copies += cost.bytes;
    least = std::min(least, cost.bytes);
    // Leaves that live longer take the place of the value itself where it needs no memory.
    kept = std::max(kept, kept_alive(number, cost.new_leaves, group));
    bool small = 8 * kept_alive(number, cost.new_leaves, group) <= own;
    if (fit && small && cost.bytes < own) cheaper.insert(group);
  }
  int64_t once_written_and_read = least + own * static_cast<int64_t>(groups.size());
  bool nowhere_else = possible && 8 * kept <= 9 * own && copies <= once_written_and_read;
  for (Number group : nowhere_else ? groups : cheaper) copy_into(number, group);
  in_memory_[number] = !nowhere_else;
}

}  // namespace hornbeam
