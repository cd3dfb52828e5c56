#include "ir/graph.h"

#include <fmt/format.h>

#include <array>

namespace hornbeam {
namespace {

Types constant_type(const OpUse& use) {
  const Tensor& value = use.attrs.tensor("value");
  return {Type{value.dtype(), value.shape()}};
}

void constant_reference(const Node& node, std::span<const Tensor* const>,
                        std::span<Tensor> results) {
  results[0] = node.attrs.tensor("value");
}

}  // namespace

const OpDef input_op{.name = "input", .attrs = {{{"number", AttrKind::integer}}}};

const OpDef constant_op{.name = "constant",
                        .attrs = {{{"value", AttrKind::tensor}}},
                        .infer = constant_type,
                        .reference = constant_reference};

std::string to_string(const Type& type) {
  std::string text = std::string(name_of(type.dtype)) + "[";
  for (int64_t axis = 0; axis < type.shape.rank(); ++axis)
    text += fmt::format("{}{}", axis == 0 ? "" : ",", type.shape[axis]);
  return text + "]";
}

Graph Graph::without_bodies() const {
  Graph copy;
  copy.inputs_ = inputs_;
  copy.outputs_ = outputs_;
  copy.nodes_.reserve(nodes_.size());
  for (const Node& node : nodes_)
    copy.nodes_.push_back({node.op, node.operands, node.attrs, node.results, {}, node.scope});
  return copy;
}

std::string_view name_of(Role role) {
  constexpr std::array<std::string_view, 4> names{"state", "batch", "parameter", "result"};
  return names[static_cast<size_t>(role)];
}

std::span<const AttrSpec> attr_specs(const OpDef& op) {
  size_t count = 0;
  while (count < op.attrs.size() && !op.attrs[count].name.empty()) ++count;
  return {op.attrs.data(), count};
}

std::vector<std::vector<int>> count_uses(const Graph& graph) {
  std::vector<std::vector<int>> uses;
  for (const Node& node : graph.nodes()) {
    uses.emplace_back(node.results.size());
    for (Value operand : node.operands) ++uses[operand.node][operand.index];
  }
  for (const Port& output : graph.outputs()) ++uses[output.value.node][output.value.index];
  return uses;
}

}  // namespace hornbeam
