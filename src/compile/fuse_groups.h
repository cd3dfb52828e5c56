// Which nodes the fuse pass puts into one fused node (compile/fuse.h).
#pragma once

#include <set>
#include <span>
#include <vector>

#include "compile/fuse.h"

namespace hornbeam {

class FuseGroups {
 public:
  using Number = uint32_t;  // of a node, or of a group: the number of the node that started it
  using Members = std::vector<Number>;

  FuseGroups(const Graph& graph, const FuseRules& rules);

  const Members& members(Number group) const { return members_[group]; }
  Number group_of(Number node) const { return group_[node]; }
  bool is_fusible(Number number) const { return fusible_[number]; }
  // Whether a group computes this operand for itself.
  bool is_copied(Number number, Number group) const {
    return free_[number] || copied_into_[number].contains(group);
  }
  // Groups whose results are nowhere used are none.
  bool is_group(Number number) const { return group_[number] == number && in_memory_[number]; }

  // Values of the group that are used outside it.
  Values outputs(Number group) const { return outputs({&group, 1}); }
  // Values from outside that the group reads, through the nodes that are copied into it.
  Values inputs(Number group) const { return inputs({&group, 1}); }

 private:
  using Groups = std::span<const Number>;

  Values outputs(Groups groups) const;
  Values inputs(Groups groups) const;
  size_t collect(Groups groups, std::set<Value>& inputs) const;
  bool inside(Number number, Groups groups) const;
  std::set<Number> places(Number user) const;
  std::set<Number> readers(Number number) const;
  bool is_read_outside(Number number, Groups groups) const;

  const Shape& result_shape(Number number) const { return graph_.nodes()[number].results[0].shape; }
  const Shape& worked_shape(Number number) const;
  bool is_sum(Number number) const;
  bool goes_on_in(Number number, Number user) const;
  bool needs_memory(Number number) const;
  int64_t bytes(Value value) const { return graph_.type(value).bytes(); }
  bool costly_between(Number first, Number second) const;

  void merge_sums();
  bool works_on_the_same(Number a, Number b) const;
  void place(Number number);
  void join(Number number, Number group);
  bool would_keep_more(Number number, Number group) const;
  bool merge_with_a_user(Number number);
  bool merge_unless_costly(Number number, Number user, Number other);
  bool fits(Groups groups) const;
  bool depends(Number user, Number producer, bool directly) const;
  void merge(Number from, Number into);
  void copy_into(Number number, Number group);

  struct Chain {
    std::set<Number> nodes;
    std::set<Value> leaves;
    int64_t work = 0;  // bytes that could be moved meanwhile
  };
  Chain chain_of(Number number, const std::set<Value>& read) const;
  void extend(Chain& chain, Number number, const std::set<Value>& read) const;
  bool is_made_within(Value operand, Number user) const;

  struct CopyCost {
    int64_t bytes = 0;  // moved, or that could be moved meanwhile
    size_t nodes = 0;
    std::set<Value> new_leaves = {};  // that the group does not read otherwise
  };
  CopyCost cost_of_copy(Number number, const std::set<Value>& read) const;
  int64_t kept_alive(Number number, const std::set<Value>& leaves, Number group) const;
  void copy_where_cheaper(Number number, const std::set<Number>& groups);

  const Graph& graph_;
  const FuseRules& rules_;
  std::vector<Number> group_;                     // by node
  std::vector<Members> members_;                  // by group, ascending
  std::vector<std::set<Number>> copied_into_;     // by node: groups that compute it for themselves
  std::vector<std::set<Number>> copies_in_;       // by group: those nodes
  std::vector<bool> in_memory_;                   // by node; false: only its copies are used
  std::vector<Members> users_;                    // by node
  std::vector<bool> is_output_, fusible_, free_;  // by node
  std::vector<int> costly_before_;
};

}  // namespace hornbeam
