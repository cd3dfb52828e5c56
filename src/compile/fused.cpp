#include "compile/fused.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "ir/interpret.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

Types fused_types(const OpUse& use) {
  const Graph& body = *use.bodies[0];
  if (use.operands.size() != body.inputs().size())
    throw Error("H701", {.message = "a fused node has one operand for each input of its body"});
  for (size_t i = 0; i < use.operands.size(); ++i)
    if (use.operands[i] != body.type(body.inputs()[i].value))
      throw Error("H701", {.message = "an operand of a fused node has another type than the input "
                                      "of its body"});
  Types results;
  Shape iteration = iteration_shape(body);
  for (const Port& output : body.outputs()) {
    const Node& node = body.node(output.value);
    results.push_back(body.type(output.value));
    bool fits = is_sum_of_rows(body, node) ? body.type(node.operands[0]).shape == iteration
                                           : results.back().shape == iteration;
    if (!fits) throw Error("H701", {.message = "the outputs of a fused node have one shape"});
  }
  return results;
}

void fused_reference(const Node& node, std::span<const Tensor* const> operands,
                     std::span<Tensor> results) {
  std::vector<Tensor> inputs;
  for (const Tensor* operand : operands) inputs.push_back(*operand);
  std::vector<Tensor> outputs = interpret(*node.bodies[0], inputs);
  for (size_t i = 0; i < outputs.size(); ++i) results[i] = std::move(outputs[i]);
}

}  // namespace

const OpDef fused_op{
    .name = "fused", .bodies = 1, .infer = fused_types, .reference = fused_reference};

bool is_sum_of_rows(const Graph& graph, const Node& node) {
  if (node.op != &reduce_op || node.attrs.text("kind") != "add") return false;
  const Type& operand = graph.type(node.operands[0]);
  if (operand.dtype != DType::float32 || operand.shape.rank() < 2) return false;
  Integers dimensions = node.attrs.integers("dimensions");
  std::sort(dimensions.begin(), dimensions.end());
  Integers leading(static_cast<size_t>(operand.shape.rank() - 1));
  std::iota(leading.begin(), leading.end(), 0);
  return dimensions == leading;
}

Shape iteration_shape(const Graph& body) {
  Value value = body.outputs()[0].value;
  const Node& node = body.node(value);
  return body.type(is_sum_of_rows(body, node) ? node.operands[0] : value).shape;
}

}  // namespace hornbeam
