#include "compile/data_parallel.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

// How a node relates to the slices. Its stage is the largest number of all_reduces on a path to it:
// a stage starts when the sums of the one before are known for all slices.
struct Relation {
  bool varies = false;  // differs between slices
  int stage = 0;
};

bool contains_replica_ops(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const Node& node) {
    return node.op == &all_reduce_op || node.op == &replica_id_op ||
           std::any_of(node.bodies.begin(), node.bodies.end(),
                       [](const auto& body) { return contains_replica_ops(*body); });
  });
}

void refuse_replica_ops_in_bodies(const Node& node) {
  for (const auto& body : node.bodies)
    if (contains_replica_ops(*body))
      throw Error("H702", {.message = fmt::format("all_reduce or replica_id inside a {} has no "
                                                  "meaning when there are several replicas",
                                                  node.op->name),
                           .place = node.scope});
}

Relation relation_of(const Graph& graph, const Node& node, std::span<const Relation> before) {
  Relation relation;
  for (Value operand : node.operands) {
    relation.varies |= before[operand.node].varies;
    relation.stage = std::max(relation.stage, before[operand.node].stage);
  }
  if (node.op == &all_reduce_op && relation.varies) return {false, relation.stage + 1};
  if (node.op == &replica_id_op) relation.varies = true;
  if (node.op == &input_op) {
    size_t number = static_cast<size_t>(node.attrs.integer("number"));
    relation.varies = graph.inputs()[number].role == Role::batch;
  }
  return relation;
}

std::vector<Relation> relations_of(const Graph& graph) {
  std::vector<Relation> relations;
  for (const Node& node : graph.nodes()) {
    refuse_replica_ops_in_bodies(node);
    relations.push_back(relation_of(graph, node, relations));
  }
  return relations;
}

// The sum over slices, given slice after slice. At most one partial sum for each power of two
// lives.
class SliceSum {
 public:
  void push(Expr value) {
    partials_.push_back({1, value});
    while (partials_.size() > 1 && partials_.back().slices == partials_.end()[-2].slices) merge();
  }

  Expr total() {
    while (partials_.size() > 1) merge();
    return partials_[0].sum;
  }

 private:
  struct Partial {
    int64_t slices;
    Expr sum;
  };

  void merge() {
    Partial right = partials_.back();
    partials_.pop_back();
    Partial& left = partials_.back();
    left = {left.slices + right.slices, left.sum + right.sum};
  }

  std::vector<Partial> partials_;
};

class SlicedGraph {
 public:
  SlicedGraph(const Graph& graph, int replicas, int devices)
      : graph_(graph),
        replicas_(static_cast<size_t>(replicas)),
        devices_(static_cast<size_t>(devices)),
        relations_(relations_of(graph)),
        uniform_(graph.nodes().size()),
        varying_(replicas_, std::vector<Exprs>(graph.nodes().size())),
        sums_(graph.nodes().size()) {}

  Graph build() {
    for (const Port& port : graph_.inputs()) inputs_.push_back(input(port));
    int last_stage = 0;
    for (const Relation& relation : relations_) last_stage = std::max(last_stage, relation.stage);
    for (int stage = 0; stage <= last_stage; ++stage) {
      add_uniform_nodes(stage);
      for (size_t slice = 0; slice < replicas_; ++slice) add_slice(stage, slice);
      finish_sums(stage);
    }
    for (const Port& port : graph_.outputs()) build_.output(port.name, output(port), port.role);
    return build_.finish();
  }

 private:
  Expr input(const Port& port) {
    build_.set_scope(graph_.node(port.value).scope);
    Type type = graph_.type(port.value);
    if (port.role != Role::batch) return build_.input(port.name, type, port.role);
    if (type.shape.rank() == 0)
      throw Error("H702", {.message = fmt::format("the batch input '{}' has no axis that could be "
                                                  "cut into slices",
                                                  port.name)});
    type.shape[0] *= static_cast<int64_t>(replicas_);
    return build_.input(port.name, type, port.role);
  }

  Expr input_slice(const Node& node, size_t slice_number) {
    Expr whole = inputs_[static_cast<size_t>(node.attrs.integer("number"))];
    int64_t extent = node.results[0].shape[0];
    Integers starts(static_cast<size_t>(whole.rank()), 0);
    Integers limits = whole.shape().extents();
    starts[0] = static_cast<int64_t>(slice_number) * extent;
    limits[0] = starts[0] + extent;
    return slice(whole, starts, limits, Integers(starts.size(), 1));
  }

  bool sums_slices(const Node& node) const {
    return node.op == &all_reduce_op && relations_[node.operands[0].node].varies;
  }

  void add_uniform_nodes(int stage) {
    for (size_t number = 0; number < graph_.nodes().size(); ++number) {
      const Node& node = graph_.nodes()[number];
      const Relation& relation = relations_[number];
      if (relation.varies || relation.stage != stage || sums_slices(node)) continue;
      uniform_[number] = uniform_node(node);
    }
  }

  Exprs uniform_node(const Node& node) {
    if (node.op == &input_op) return {inputs_[static_cast<size_t>(node.attrs.integer("number"))]};
    Exprs operands = operands_of(node, 0);
    if (node.op != &all_reduce_op) return build_.add_like(node, operands);
    SliceSum sum;  // of as many equal values
    for (size_t slice = 0; slice < replicas_ * devices_; ++slice) sum.push(operands[0]);
    return {sum.total()};
  }

  void add_slice(int stage, size_t slice) {
    for (size_t number = 0; number < graph_.nodes().size(); ++number) {
      const Node& node = graph_.nodes()[number];
      build_.set_scope(node.scope);
      if (sums_slices(node) && relations_[number].stage == stage + 1)
        sums_[number].push(operands_of(node, slice)[0]);
      else if (relations_[number].varies && relations_[number].stage == stage)
        varying_[slice][number] = varying_node(node, slice);
    }
  }

  Exprs varying_node(const Node& node, size_t slice) {
    if (node.op == &input_op) return {input_slice(node, slice)};
    if (node.op == &replica_id_op) return {slice_number(slice)};
    return build_.add_like(node, operands_of(node, slice));
  }

  Expr slice_number(size_t slice) {
    Expr own = build_.constant(Tensor::scalar(static_cast<int64_t>(slice)));
    if (devices_ == 1) return own;
    Expr slices = build_.constant(Tensor::scalar(static_cast<int64_t>(replicas_)));
    return replica_id(build_) * slices + own;
  }

  void finish_sums(int stage) {
    for (size_t number = 0; number < graph_.nodes().size(); ++number) {
      const Node& node = graph_.nodes()[number];
      if (!sums_slices(node) || relations_[number].stage != stage + 1) continue;
      build_.set_scope(node.scope);
      const Expr sum = sums_[number].total();
      uniform_[number] = {devices_ == 1 ? sum : all_reduce(sum)};
    }
  }

  Expr value_in(Value value, size_t slice) const {
    const auto& results = relations_[value.node].varies ? varying_[slice] : uniform_;
    return results[value.node][value.index];
  }

  Exprs operands_of(const Node& node, size_t slice) const {
    Exprs operands;
    for (Value operand : node.operands) operands.push_back(value_in(operand, slice));
    return operands;
  }

  Expr output(const Port& port) {
    if (port.role == Role::batch) return whole_batch(port);
    if (relations_[port.value.node].varies)
      throw Error("H702", {.message = fmt::format("the output '{}' differs between replicas; only "
                                                  "outputs of role batch may",
                                                  port.name),
                           .help = "sum it over the replicas with all_reduce"});
    return value_in(port.value, 0);
  }

  Expr whole_batch(const Port& port) {
    if (graph_.type(port.value).shape.rank() == 0)
      throw Error("H702", {.message = fmt::format("the batch output '{}' has no axis along which "
                                                  "slices could be joined",
                                                  port.name)});
    Exprs parts;
    for (size_t slice = 0; slice < replicas_; ++slice) parts.push_back(value_in(port.value, slice));
    return concatenate(parts, 0);
  }

  const Graph& graph_;
  size_t replicas_, devices_;
  std::vector<Relation> relations_;
  Builder build_;
  Exprs inputs_;
  std::vector<Exprs> uniform_;               // by node
  std::vector<std::vector<Exprs>> varying_;  // by slice and node
  std::vector<SliceSum> sums_;               // by all_reduce node
};

Graph with_one_replica(const Graph& graph) {
  return rewrite_graph(
      graph, [](Builder& build, const Node& node, std::span<const Expr> operands) -> Exprs {
        if (node.op == &all_reduce_op) return {operands[0]};
        if (node.op == &replica_id_op) return {build.constant(Tensor::scalar(int64_t{0}))};
        return build.add_like(node, operands);
      });
}

}  // namespace

Graph data_parallel(const Graph& graph, int replicas, int devices) {
  check(replicas >= 1 && devices >= 1, "at least one replica and device");
  return replicas * devices == 1 ? with_one_replica(graph)
                                 : SlicedGraph(graph, replicas, devices).build();
}

}  // namespace hornbeam
