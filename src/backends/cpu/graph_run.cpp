#include "backends/cpu/graph_run.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>

#include "compile/memory_summary.h"

namespace hornbeam {
namespace {

bool needs_no_kernel(const Graph& graph, const Node& node) {
  return node.op == &input_op || node.op == &constant_op || view_offset(graph, node).has_value();
}

}  // namespace

GraphRun::GraphRun(std::shared_ptr<const Graph> graph, const CpuInfo& cpu)
    : graph_(std::move(graph)) {
  timed("choose_kernels", [&] { choose_kernels(cpu); });
  timed("memory_plan", [&] { plan_storage(); });
}

template <class Work>
void GraphRun::timed(std::string name, Work work) {
  auto start = std::chrono::steady_clock::now();
  work();
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  records_.push_back({std::move(name), seconds.count(), graph_->nodes().size()});
}

void GraphRun::choose_kernels(const CpuInfo& cpu) {
  for (uint32_t number = 0; number < graph_->nodes().size(); ++number) {
    const Node& node = graph_->nodes()[number];
    if (needs_no_kernel(*graph_, node)) continue;
    Types operands;
    for (Value operand : node.operands) operands.push_back(graph_->type(operand));
    steps_.push_back({number, choose_kernel({node, operands}, cpu),
                      std::vector<const std::byte*>(node.operands.size()),
                      std::vector<std::byte*>(node.results.size())});
  }
}

void GraphRun::plan_storage() {
  std::vector<NodeMemory> memory(graph_->nodes().size());
  for (const Step& step : steps_) memory[step.node] = step.kernel.plan.memory;
  storage_ = plan_memory(*graph_, memory);
}

std::vector<KernelRecord> GraphRun::kernels() const {
  std::vector<KernelRecord> records;
  for (const Step& step : steps_) {
    const Node& node = graph_->nodes()[step.node];
    const KernelPlan& plan = step.kernel.plan;
    records.push_back({.node = step.node,
                       .op = node.op->name,
                       .scope = node.scope,
                       .result = node.results[0],
                       .kernel = step.kernel.name,
                       .refusals = step.kernel.refusals,
                       .operations = plan.cost.operations,
                       .bytes = plan.cost.bytes,
                       .workspace_bytes = plan.memory.workspace_bytes});
  }
  return records;
}

KernelCost GraphRun::cost() const {
  KernelCost total;
  for (const Step& step : steps_) {
    total.operations += step.kernel.plan.cost.operations;
    total.bytes += step.kernel.plan.cost.bytes;
  }
  return total;
}

std::byte* GraphRun::address(Place place, std::byte* arena,
                             std::span<std::byte* const> inputs) const {
  switch (place.kind) {
    case Place::Kind::arena:
      return arena + place.offset;
    case Place::Kind::input:
      return inputs[place.number] + place.offset;
    case Place::Kind::constant:  // never a result, so never written
      return const_cast<std::byte*>(graph_->nodes()[place.number].attrs.tensor("value").data()) +
             place.offset;
  }
  __builtin_unreachable();
}

void GraphRun::run_step(Step& step, ThreadPool& threads, std::byte* arena,
                        std::span<std::byte* const> inputs) {
  const Node& node = graph_->nodes()[step.node];
  for (size_t i = 0; i < node.operands.size(); ++i) {
    Value operand = node.operands[i];
    step.operands[i] = address(storage_.values[operand.node][operand.index], arena, inputs);
  }
  for (size_t i = 0; i < node.results.size(); ++i)
    step.results[i] = address(storage_.values[step.node][i], arena, inputs);
  std::byte* workspace = arena + storage_.workspaces[step.node];
  step.kernel.plan.run({threads, workspace, step.operands, step.results});
}

void GraphRun::run(ThreadPool& threads, std::byte* arena, std::span<std::byte* const> inputs,
                   Profile* profile) {
  for (Step& step : steps_) {
    run_step(step, threads, arena, inputs);
    if (profile != nullptr) profile->end_kernel();
  }
  for (const PlannedCopy& copy : storage_.copies)
    std::memcpy(address(copy.to, arena, inputs), address(copy.from, arena, inputs),
                static_cast<size_t>(copy.bytes));
}

}  // namespace hornbeam
