#include "backends/cpu/cpu_executable.h"

#include <fmt/format.h>

#include "base/error.h"

namespace hornbeam {

const CpuBuffer& cpu_buffer(const DeviceBuffer& buffer) {
  auto* found = dynamic_cast<const CpuBuffer*>(&buffer);
  check(found != nullptr, "the buffer is one of the CPU backend");
  return *found;
}

namespace {

// Buffers of the inputs are whole pages.
int64_t padding_bytes(const Graph& graph) {
  int64_t bytes = 0;
  for (const Port& input : graph.inputs()) {
    const int64_t planned = graph.type(input.value).bytes();
    bytes += Memory::taken_for(planned) - planned;
  }
  return bytes;
}

}  // namespace

CpuExecutable::CpuExecutable(std::shared_ptr<const Graph> graph, std::vector<PassRecord> passes,
                             const CpuInfo& cpu, std::shared_ptr<ThreadPool> threads,
                             std::shared_ptr<Memory> arena, Microbatches microbatches,
                             int64_t staged_bytes)
    : threads_(std::move(threads)),
      arena_(std::move(arena)),
      run_(std::move(graph), cpu),
      plan_(run_.storage().summary),
      passes_(std::move(passes)),
      input_addresses_(run_.graph().inputs().size()) {
  plan_.microbatches = std::move(microbatches);
  plan_.threads = {.asked = threads_->threads(), .used = cpu.threads};
  count(MemoryUse::staged_input, staged_bytes);
  count(MemoryUse::program, run_.program_bytes() + padding_bytes(run_.graph()));
  passes_.insert(passes_.end(), run_.records().begin(), run_.records().end());
}

void CpuExecutable::count(MemoryUse use, int64_t bytes) {
  plan_.peak_bytes += bytes;
  plan_.peak_by_use[static_cast<size_t>(use)] += bytes;
}

void CpuExecutable::prepare() {
  if (prepared_) return;
  prepared_ = true;
  if (plan_.threads.used < threads_->threads())
    threads_ = std::make_shared<ThreadPool>(plan_.threads.used);
  arena_->grow(memory_plan().arena_bytes);
  for (size_t i = 0; i < run_.graph().outputs().size(); ++i) {
    const Port& output = run_.graph().outputs()[i];
    results_.push_back(nullptr);
    if (output.role != Role::state)
      results_.back() = std::make_shared<CpuBuffer>(run_.graph().type(output.value), arena_,
                                                    run_.storage().outputs[i].offset);
  }
}

void CpuExecutable::require_types(std::span<const Buffer> inputs) const {
  const Graph& graph = run_.graph();
  check(inputs.size() == graph.inputs().size(), "one buffer for each input of a graph");
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Port& port = graph.inputs()[i];
    if (inputs[i]->type() != graph.type(port.value))
      throw Error("H701", {.message = fmt::format("input '{}' is {}, expected {}", port.name,
                                                  to_string(inputs[i]->type()),
                                                  to_string(graph.type(port.value)))});
  }
}

void CpuExecutable::run(std::span<const Buffer> inputs, std::span<Buffer> outputs) {
  check(prepared_, "prepare() comes before run()");
  check(outputs.size() == results_.size(), "one buffer for each output of a graph");
  if (profile_ != nullptr) profile_->begin_run();
  require_types(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) input_addresses_[i] = cpu_buffer(*inputs[i]).data();
  run_.run(*threads_, arena_->data(), input_addresses_, {profile_, 0});
  for (size_t i = 0; i < outputs.size(); ++i)
    outputs[i] = results_[i] ? results_[i] : inputs[run_.storage().outputs[i].number];
  if (profile_ != nullptr) profile_->end_run();
}

}  // namespace hornbeam
