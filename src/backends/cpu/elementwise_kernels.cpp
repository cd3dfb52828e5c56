// Elementwise nodes as tile programs.
#include <algorithm>
#include <memory>

#include "backends/cpu/plans.h"
#include "backends/cpu/tile_lowering.h"
#include "ir/builder.h"

namespace hornbeam {
namespace {

// What a run needs, kept so that it allocates nothing.
struct TileRun {
  LoweredBody body;
  std::vector<const void*> inputs;
  std::vector<uint64_t> keys;
  std::vector<void*> outputs;

  void operator()(const KernelArguments& arguments) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      int source = body.inputs[i];
      inputs[i] = source >= 0
                      ? static_cast<const void*>(arguments.operands[static_cast<size_t>(source)])
                      : body.tables[static_cast<size_t>(-1 - source)].data();
    }
    for (size_t i = 0; i < keys.size(); ++i)
      keys[i] = *arguments.operand<uint64_t>(static_cast<size_t>(body.keys[i]));
    for (size_t i = 0; i < outputs.size(); ++i) outputs[i] = arguments.results[i];
    run_tiles(body.program, body.count, inputs, keys, outputs, arguments.workspace,
              arguments.threads);
  }
};

// A result may have the memory of an operand that is only read element for element.
std::vector<Overwrite> overwrites(const LoweredBody& body, size_t operands) {
  std::vector<Overwrite> pairs;
  for (uint32_t operand = 0; operand < operands; ++operand) {
    bool element_by_element = true;
    DType dtype = DType::float32;
    for (size_t i = 0; i < body.inputs.size(); ++i) {
      if (body.inputs[i] != static_cast<int>(operand)) continue;
      element_by_element &= body.program.inputs[i].access == TileAccess::contiguous &&
                            body.program.inputs[i].offset == 0;
      dtype = body.program.inputs[i].dtype;
    }
    for (uint32_t result = 0; result < body.program.outputs.size(); ++result)
      if (element_by_element && body.program.outputs[result].columns == 0 &&
          size_of(body.program.outputs[result].dtype) == size_of(dtype))
        pairs.push_back({result, operand});
  }
  return pairs;
}

double operations_of(const LoweredBody& body) {
  auto computes = [](const TileInstruction& instruction) {
    return instruction.op != TileOp::constant && instruction.op != TileOp::copy;
  };
  return static_cast<double>(std::ranges::count_if(body.program.instructions, computes) *
                             body.count);
}

Planned plan_tiles(const Graph& body, const KernelRequest& request, const CpuInfo& cpu) {
  std::variant<LoweredBody, std::string> lowered = lower_to_tiles(body);
  if (auto* reason = std::get_if<std::string>(&lowered)) return Refusal{*reason};
  auto run = std::make_shared<TileRun>();
  run->body = std::move(std::get<LoweredBody>(lowered));
  run->inputs.resize(run->body.inputs.size());
  run->keys.resize(run->body.keys.size());
  run->outputs.resize(run->body.program.outputs.size());
  NodeMemory memory{
      .workspace_bytes = tile_workspace(run->body.program, run->body.count, cpu.threads),
      .may_overwrite = overwrites(run->body, request.operands.size())};
  return KernelPlan{.memory = std::move(memory),
                    .cost = {.operations = operations_of(run->body)},
                    .run = [run](const KernelArguments& arguments) { (*run)(arguments); }};
}

}  // namespace

Planned plan_tiles_of_body(const KernelRequest& request, const CpuInfo& cpu) {
  return plan_tiles(*request.node.bodies[0], request, cpu);
}

Planned plan_tiles_of_node(const KernelRequest& request, const CpuInfo& cpu) {
  Builder build;
  Exprs operands;
  for (const Type& type : request.operands) operands.push_back(build.input("x", type));
  build.output("y", build.add_like(request.node, operands)[0]);
  return plan_tiles(build.finish(), request, cpu);
}

}  // namespace hornbeam
