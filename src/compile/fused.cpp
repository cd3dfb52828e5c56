#include "compile/fused.h"

#include "base/error.h"
#include "ir/interpret.h"

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
  for (const Port& output : body.outputs()) results.push_back(body.type(output.value));
  for (const Type& result : results)
    if (result.shape != results[0].shape)
      throw Error("H701", {.message = "the outputs of a fused node have one shape"});
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

}  // namespace hornbeam
