// Graph: a program as a list of nodes in execution order, every operand before its user.
//
// A whole training step is one Graph: state goes in and comes out, no op has a side effect. Graphs
// are made by a Builder and never changed afterwards; a pass builds the next graph.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/op.h"

namespace hornbeam {

// Result `index` of node number `node`.
struct Value {
  uint32_t node = 0;
  uint32_t index = 0;

  auto operator<=>(const Value&) const = default;
};
using Values = std::vector<Value>;

struct Node {
  const OpDef* op = nullptr;
  Values operands;
  Attrs attrs;
  Types results;
  Bodies bodies;      // the graphs inside: of fused, scan, while
  std::string scope;  // what it was built for (ir/scope.h), for people; no meaning
};

// What an input or output is to the world.
enum class Role {
  state,      // lives on the device between runs; an output of this role replaces the input of that
              // name, whose memory it may take over
  batch,      // cut along axis 0 into one slice for each replica
  parameter,  // a small value, the same for every replica: learning rate, step number
  result,     // a small output, the same for every replica: loss, metrics
};

std::string_view name_of(Role role);

struct Port {
  std::string name;
  Role role = Role::batch;
  Value value;
};

class Graph {
 public:
  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(Value value) const { return nodes_[value.node]; }
  const Type& type(Value value) const { return nodes_[value.node].results[value.index]; }
  const std::vector<Port>& inputs() const { return inputs_; }
  const std::vector<Port>& outputs() const { return outputs_; }

  // A copy for those who need values and their types, but no longer the graphs inside nodes.
  Graph without_bodies() const;

 private:
  friend class Builder;
  std::vector<Node> nodes_;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
};

// The two ops that every graph knows. An input node has the port's type; a constant has its tensor.
extern const OpDef input_op;     // attrs: number (its place in Graph::inputs)
extern const OpDef constant_op;  // attrs: value

// The number of operands and outputs that use each value: uses[node][index].
std::vector<std::vector<int>> count_uses(const Graph& graph);

}  // namespace hornbeam
