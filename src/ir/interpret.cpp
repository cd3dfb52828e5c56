#include "ir/interpret.h"

#include <fmt/format.h>

#include "base/error.h"
#include "ir/builder.h"

namespace hornbeam {
namespace {

void require_types(const Graph& graph, std::span<const Tensor> inputs) {
  check(inputs.size() == graph.inputs().size(), "one tensor for each input of a graph");
  for (size_t i = 0; i < inputs.size(); ++i) {
    Type given{inputs[i].dtype(), inputs[i].shape()};
    const Port& port = graph.inputs()[i];
    if (given != graph.type(port.value))
      throw Error("H701",
                  {.message = fmt::format("input '{}' is {}, expected {}", port.name,
                                          to_string(given), to_string(graph.type(port.value)))});
  }
}

std::vector<Tensor> run_expansion(const Node& node, std::span<const Tensor* const> operands) {
  Types types;
  std::vector<Tensor> inputs;
  for (const Tensor* operand : operands) {
    types.push_back({operand->dtype(), operand->shape()});
    inputs.push_back(*operand);
  }
  return interpret(expansion_of(*node.op, types, node.attrs, node.bodies), inputs);
}

}  // namespace

std::vector<Tensor> interpret_node(const Node& node, std::span<const Tensor* const> operands) {
  if (node.op->reference == nullptr) return run_expansion(node, operands);
  std::vector<Tensor> results;
  for (const Type& type : node.results) results.emplace_back(type.dtype, type.shape);
  node.op->reference(node, operands, results);
  return results;
}

std::vector<Tensor> interpret(const Graph& graph, std::span<const Tensor> inputs,
                              const std::function<void()>& node_done) {
  require_types(graph, inputs);
  std::vector<std::vector<Tensor>> values(graph.nodes().size());
  std::vector<std::vector<int>> uses = count_uses(graph);
  for (size_t number = 0; number < graph.nodes().size(); ++number) {
    const Node& node = graph.nodes()[number];
    if (node.op == &input_op) {
      values[number].push_back(inputs[static_cast<size_t>(node.attrs.integer("number"))]);
      continue;
    }
    std::vector<const Tensor*> operands;
    for (Value operand : node.operands) operands.push_back(&values[operand.node][operand.index]);
    values[number] = interpret_node(node, operands);
    if (node_done) node_done();
    for (Value operand : node.operands)
      if (--uses[operand.node][operand.index] == 0) values[operand.node][operand.index] = Tensor();
  }
  std::vector<Tensor> outputs;
  for (const Port& output : graph.outputs())
    outputs.push_back(values[output.value.node][output.value.index]);
  return outputs;
}

}  // namespace hornbeam
