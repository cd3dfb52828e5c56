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

Types operand_types(const Graph& graph, const Node& node) {
  Types types;
  for (Value operand : node.operands) types.push_back(graph.type(operand));
  return types;
}

size_t kernels_of(const KernelPlan& plan) {
  size_t kernels = 1;
  for (const InnerGraph& inner : plan.inner) kernels += inner.run->kernel_count();
  return kernels;
}

}  // namespace

GraphRun::GraphRun(std::shared_ptr<const Graph> graph, const CpuInfo& cpu)
    : graph_(std::move(graph)) {
  timed("choose_kernels", [&] { choose_kernels(cpu); });
  timed("memory_plan", [&] { plan_storage(); });
  graph_ = std::make_shared<const Graph>(graph_->without_bodies());
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
    const Step* like = step_like(node);
    steps_.push_back(
        {number, like ? like->kernel : choose_kernel({node, operand_types(*graph_, node)}, cpu),
         like != nullptr, kernel_count_, std::vector<const std::byte*>(node.operands.size()),
         std::vector<std::byte*>(node.results.size())});
    kernel_count_ += kernels_of(steps_.back().kernel.plan);
  }
}

// Nodes run one after another, so that those with a body in common, which replicas have, can share
// what is prepared for it.
const GraphRun::Step* GraphRun::step_like(const Node& node) const {
  if (node.bodies.empty()) return nullptr;
  for (const Step& step : steps_) {
    const Node& other = graph_->nodes()[step.node];
    if (other.bodies == node.bodies && other.op == node.op && other.attrs == node.attrs &&
        operand_types(*graph_, other) == operand_types(*graph_, node))
      return &step;
  }
  return nullptr;
}

void GraphRun::plan_storage() {
  std::vector<NodeMemory> memory(graph_->nodes().size());
  for (const Step& step : steps_) memory[step.node] = step.kernel.plan.memory;
  storage_ = plan_memory(*graph_, memory);
}

std::vector<KernelRecord> GraphRun::kernels() const {
  std::vector<KernelRecord> records;
  for (const Step& step : steps_) add_records(step, records);
  return records;
}

void GraphRun::add_records(const Step& step, std::vector<KernelRecord>& records) const {
  const Node& node = graph_->nodes()[step.node];
  const KernelPlan& plan = step.kernel.plan;
  const std::string number = std::to_string(step.node);
  records.push_back({.node = number,
                     .op = node.op->name,
                     .scope = node.scope,
                     .result = node.results[0],
                     .kernel = step.kernel.name,
                     .refusals = step.kernel.refusals,
                     .operations = plan.cost.operations,
                     .bytes = plan.cost.bytes,
                     .seconds = plan.cost.seconds,
                     .workspace_bytes = plan.memory.workspace_bytes});
  for (const InnerGraph& inner : plan.inner)
    for (KernelRecord& record : inner.run->kernels()) {
      record.node = fmt::format("{}.{}", number, record.node);
      record.calls *= inner.rounds;
      records.push_back(std::move(record));
    }
}

// Measured, with what the heap cannot give back after compiling, and with a step for validation
// beside one for training.
int64_t GraphRun::program_bytes() const {
  constexpr int64_t of_a_step = 4096, of_a_kernel = 5120;
  int64_t bytes = 0;
  for (const Step& step : steps_) {
    bytes += of_a_step;
    if (step.is_shared) continue;
    bytes += of_a_kernel;
    for (const InnerGraph& inner : step.kernel.plan.inner) bytes += inner.run->program_bytes();
  }
  return bytes;
}

KernelCost GraphRun::cost() const {
  KernelCost total;
  for (const Step& step : steps_) {
    total += step.kernel.plan.cost;
    for (const InnerGraph& inner : step.kernel.plan.inner)
      total += inner.run->cost() * static_cast<double>(inner.rounds);
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
                        std::span<std::byte* const> inputs, KernelTimes times) {
  const Node& node = graph_->nodes()[step.node];
  for (size_t i = 0; i < node.operands.size(); ++i) {
    Value operand = node.operands[i];
    step.operands[i] = address(storage_.values[operand.node][operand.index], arena, inputs);
  }
  for (size_t i = 0; i < node.results.size(); ++i)
    step.results[i] = address(storage_.values[step.node][i], arena, inputs);
  std::byte* workspace = arena + storage_.workspaces[step.node];
  step.kernel.plan.run({threads, workspace, step.operands, step.results, times});
  times.end();
}

void GraphRun::run(ThreadPool& threads, std::byte* arena, std::span<std::byte* const> inputs,
                   KernelTimes times) {
  for (Step& step : steps_) run_step(step, threads, arena, inputs, times.behind(step.record));
  for (const PlannedCopy& copy : storage_.copies)
    std::memcpy(address(copy.to, arena, inputs), address(copy.from, arena, inputs),
                static_cast<size_t>(copy.bytes));
}

}  // namespace hornbeam
