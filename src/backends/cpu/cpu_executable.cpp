#include "backends/cpu/cpu_executable.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>

#include "base/error.h"
#include "compile/memory_summary.h"

namespace hornbeam {
namespace {

bool needs_no_kernel(const Graph& graph, const Node& node) {
  return node.op == &input_op || node.op == &constant_op || view_offset(graph, node).has_value();
}

template <class Work>
PassRecord timed(std::string name, const Graph& graph, Work work) {
  auto start = std::chrono::steady_clock::now();
  work();
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return {std::move(name), seconds.count(), graph.nodes().size()};
}

}  // namespace

const CpuBuffer& cpu_buffer(const DeviceBuffer& buffer) {
  auto* found = dynamic_cast<const CpuBuffer*>(&buffer);
  check(found != nullptr, "the buffer is one of the CPU backend");
  return *found;
}

CpuExecutable::CpuExecutable(Graph graph, std::vector<PassRecord> passes,
                             std::shared_ptr<ThreadPool> threads)
    : graph_(std::move(graph)),
      passes_(std::move(passes)),
      threads_(std::move(threads)),
      input_addresses_(graph_.inputs().size()) {
  passes_.push_back(timed("choose_kernels", graph_, [&] { choose_kernels(); }));
  passes_.push_back(timed("memory_plan", graph_, [&] { plan_memory(); }));
}

void CpuExecutable::choose_kernels() {
  CpuInfo cpu{.threads = threads_->threads()};
  for (uint32_t number = 0; number < graph_.nodes().size(); ++number) {
    const Node& node = graph_.nodes()[number];
    if (needs_no_kernel(graph_, node)) continue;
    Types operands;
    for (Value operand : node.operands) operands.push_back(graph_.type(operand));
    steps_.push_back({number, choose_kernel({node, operands}, cpu),
                      std::vector<const std::byte*>(node.operands.size()),
                      std::vector<std::byte*>(node.results.size())});
  }
}

void CpuExecutable::plan_memory() {
  std::vector<NodeMemory> memory(graph_.nodes().size());
  for (const Step& step : steps_) memory[step.node] = step.kernel.plan.memory;
  storage_ = hornbeam::plan_memory(graph_, memory);
}

std::vector<std::string> CpuExecutable::kernel_report() const {
  std::vector<std::string> lines;
  for (const Step& step : steps_) {
    const Node& node = graph_.nodes()[step.node];
    std::string line =
        fmt::format("%{} {} : {}", step.node, node_label(node), to_string(node.results[0]));
    line += " <- " + step.kernel.name;
    if (!step.kernel.plan.detail.empty()) line += " (" + step.kernel.plan.detail + ")";
    for (const std::string& refusal : step.kernel.refusals) line += "; refused by " + refusal;
    lines.push_back(std::move(line));
  }
  return lines;
}

void CpuExecutable::prepare() {
  if (arena_) return;
  arena_ = std::make_shared<Memory>(storage_.summary.arena_bytes);
  arena_->touch();
  for (size_t number = 0; number < graph_.nodes().size(); ++number) {
    const Node& node = graph_.nodes()[number];
    if (node.op != &constant_op) continue;
    const Tensor& value = node.attrs.tensor("value");
    std::memcpy(address(storage_.values[number][0]), value.data(), value.bytes());
  }
  for (size_t i = 0; i < graph_.outputs().size(); ++i) {
    const Port& output = graph_.outputs()[i];
    bool state = output.role == Role::state;
    results_.push_back(state ? nullptr
                             : std::make_shared<CpuBuffer>(graph_.type(output.value), arena_,
                                                           storage_.outputs[i].offset));
  }
}

void CpuExecutable::require_types(std::span<const Buffer> inputs) const {
  check(inputs.size() == graph_.inputs().size(), "one buffer for each input of a graph");
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Port& port = graph_.inputs()[i];
    if (inputs[i]->type() != graph_.type(port.value))
      throw Error("H701", {.message = fmt::format("input '{}' is {}, expected {}", port.name,
                                                  to_string(inputs[i]->type()),
                                                  to_string(graph_.type(port.value)))});
  }
}

std::byte* CpuExecutable::address(Place place) const {
  std::byte* base =
      place.kind == Place::Kind::arena ? arena_->data() : input_addresses_[place.input];
  return base + place.offset;
}

void CpuExecutable::run_step(Step& step) {
  const Node& node = graph_.nodes()[step.node];
  for (size_t i = 0; i < node.operands.size(); ++i)
    step.operands[i] = address(storage_.values[node.operands[i].node][node.operands[i].index]);
  for (size_t i = 0; i < node.results.size(); ++i)
    step.results[i] = address(storage_.values[step.node][i]);
  std::byte* workspace = arena_->data() + storage_.workspaces[step.node];
  step.kernel.plan.run({*threads_, workspace, step.operands, step.results});
}

void CpuExecutable::run(std::span<const Buffer> inputs, std::span<Buffer> outputs) {
  check(arena_ != nullptr, "prepare() comes before run()");
  check(outputs.size() == graph_.outputs().size(), "one buffer for each output of a graph");
  require_types(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) input_addresses_[i] = cpu_buffer(*inputs[i]).data();
  for (Step& step : steps_) run_step(step);
  for (const PlannedCopy& copy : storage_.copies)
    std::memcpy(address(copy.to), address(copy.from), static_cast<size_t>(copy.bytes));
  for (size_t i = 0; i < outputs.size(); ++i)
    outputs[i] = results_[i] ? results_[i] : inputs[storage_.outputs[i].input];
}

}  // namespace hornbeam
