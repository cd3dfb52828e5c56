#include <cstring>
#include <memory>

#include "backends/cpu/kernel.h"
#include "ir/interpret.h"

namespace hornbeam {
namespace {

// The tensors through which an op's reference sees the blocks, made once so that running a core op
// allocates nothing. (Composites and ops with bodies allocate in the interpreter.)
struct ReferenceRun {
  Node node;
  std::vector<Tensor> operands, results;
  std::vector<const Tensor*> operand_pointers;
};

std::shared_ptr<ReferenceRun> views_for(const KernelRequest& request) {
  auto run = std::make_shared<ReferenceRun>();
  run->node = request.node;
  for (const Type& type : request.operands)
    run->operands.push_back(Tensor::view(type.dtype, type.shape));
  for (const Type& type : request.node.results)
    run->results.push_back(Tensor::view(type.dtype, type.shape));
  for (const Tensor& operand : run->operands) run->operand_pointers.push_back(&operand);
  return run;
}

// Some references put a new tensor in the place of a result.
void keep_view(Tensor& result, std::byte* target) {
  if (result.data() == target) return;
  std::memcpy(target, result.data(), result.bytes());
  result = Tensor::view(result.dtype(), result.shape());
}

void run_core(ReferenceRun& run, const KernelArguments& arguments) {
  for (size_t i = 0; i < run.results.size(); ++i) {
    run.results[i].look_at(arguments.results[i]);
    std::memset(arguments.results[i], 0, run.results[i].bytes());
  }
  run.node.op->reference(run.node, run.operand_pointers, run.results);
  for (size_t i = 0; i < run.results.size(); ++i) keep_view(run.results[i], arguments.results[i]);
}

void run_composite(ReferenceRun& run, const KernelArguments& arguments) {
  std::vector<Tensor> results = interpret_node(run.node, run.operand_pointers);
  for (size_t i = 0; i < results.size(); ++i)
    std::memcpy(arguments.results[i], results[i].data(), results[i].bytes());
}

}  // namespace

KernelPlan reference_kernel(const KernelRequest& request) {
  std::shared_ptr<ReferenceRun> views = views_for(request);
  return {.memory = {}, .run = [views](const KernelArguments& arguments) {
            for (size_t i = 0; i < views->operands.size(); ++i)
              views->operands[i].look_at(const_cast<std::byte*>(arguments.operands[i]));
            bool core = views->node.op->reference != nullptr;
            core ? run_core(*views, arguments) : run_composite(*views, arguments);
          }};
}

}  // namespace hornbeam
