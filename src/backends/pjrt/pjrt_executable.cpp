#include "backends/pjrt/pjrt_executable.h"

#include <algorithm>

#include "base/error.h"
#include "compile/memory_plan.h"

namespace hornbeam {
namespace {

// More steps ahead gain nothing, and XLA's CPU plugin comes to a halt when there are many: the
// threads that wait for each other in an all_reduce are then those of different steps.
constexpr size_t most_on_their_way = 4;

// The number of the input whose new value a state output is.
std::optional<size_t> state_input(const Graph& graph, const Port& output) {
  if (output.role != Role::state) return {};
  for (size_t i = 0; i < graph.inputs().size(); ++i)
    if (graph.inputs()[i].role == Role::state && graph.inputs()[i].name == output.name) return i;
  return {};
}

Type whole_type(const Graph& graph, const Port& port, int devices) {
  Type type = graph.type(port.value);
  if (port.role == Role::batch && type.shape.rank() > 0) type.shape[0] *= devices;
  return type;
}

int64_t bytes_of(const Graph& graph, Role role) {
  int64_t bytes = 0;
  for (const Port& port : graph.inputs())
    if (port.role == role) bytes += graph.type(port.value).bytes();
  return bytes;
}

}  // namespace

PjrtExecutable::PjrtExecutable(const pjrt::DeviceClient& client,
                               std::shared_ptr<pjrt::LoadedHandle> program, PipelineResult compiled,
                               int devices, MemoryPlan plan)
    : client_(client),
      program_(std::move(program)),
      graph_(std::move(compiled.graph)),
      passes_(std::move(compiled.passes)),
      devices_(devices),
      plan_(std::move(plan)) {
  for (const Port& output : graph_.outputs()) state_inputs_.push_back(state_input(graph_, output));
}

PjrtExecutable::~PjrtExecutable() {
  for (const auto& step : on_their_way_)
    for (pjrt::Event* event : step) client_.plugin().destroy(pjrt::Slot::event_destroy, event);
}

std::vector<KernelRecord> PjrtExecutable::kernels() const {
  KernelRecord record{.node = "0", .op = "program", .kernel = client_.platform()};
  if (!graph_.outputs().empty()) record.result = graph_.type(graph_.outputs()[0].value);
  return {record};
}

void PjrtExecutable::run(std::span<const Buffer> inputs, std::span<Buffer> outputs) {
  check(inputs.size() == graph_.inputs().size(), "one buffer for each input of a graph");
  check(outputs.size() == graph_.outputs().size(), "one buffer for each output of a graph");
  wait_for_all_but(most_on_their_way - 1);
  if (profile_ != nullptr) profile_->begin_run();
  const pjrt::ArrayRows arrays = arrays_of(inputs);
  pjrt::ArrayRows results(arrays.size(), std::vector<pjrt::Array*>(outputs.size()));
  on_their_way_.push_back(client_.execute(*program_, arrays, results));
  hand_over(results, inputs, outputs);
  if (profile_ == nullptr) return;
  wait_for_all_but(0);
  profile_->end_kernel(0);
  profile_->end_run();
}

pjrt::ArrayRows PjrtExecutable::arrays_of(std::span<const Buffer> inputs) const {
  pjrt::ArrayRows rows(static_cast<size_t>(devices_));
  for (size_t i = 0; i < inputs.size(); ++i) {
    PjrtBuffer& buffer = pjrt_buffer(*inputs[i]);
    // Plugins take the bits of another type for those of the right one.
    check(buffer.part == graph_.type(graph_.inputs()[i].value),
          "an input of the type of the graph");
    buffer.require_content();
    for (size_t device = 0; device < rows.size(); ++device)
      rows[device].push_back(buffer.arrays[device].get());
  }
  return rows;
}

// A state gets its new arrays; the old ones have given their memory to them. Other results get
// buffers of their own.
void PjrtExecutable::hand_over(pjrt::ArrayRows& arrays, std::span<const Buffer> inputs,
                               std::span<Buffer> outputs) const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::vector<pjrt::ArrayHandle> handles;
    for (auto& row : arrays) handles.emplace_back(client_.plugin(), row[i]);
    const Port& port = graph_.outputs()[i];
    const auto& state = state_inputs_[i];
    outputs[i] = state ? inputs[*state]
                       : std::make_shared<PjrtBuffer>(client_, whole_type(graph_, port, devices_),
                                                      port.role, devices_);
    pjrt_buffer(*outputs[i]).replace(std::move(handles));
  }
}

void PjrtExecutable::wait_for_all_but(size_t steps) {
  while (on_their_way_.size() > steps) {
    const std::vector<pjrt::Event*> step = std::move(on_their_way_.front());
    on_their_way_.pop_front();
    for (pjrt::Event* event : step)
      client_.plugin().await(event, "the device cannot finish the step");
  }
}

MemoryPlan pjrt_memory_plan(const Graph& graph, const std::optional<pjrt::ProgramMemory>& memory,
                            int64_t batches) {
  const int64_t staged = (batches - 1) * bytes_of(graph, Role::batch);
  if (!memory) {
    MemoryPlan plan = plan_memory(graph, std::vector<NodeMemory>(graph.nodes().size())).summary;
    plan.peak_bytes += staged;
    plan.peak_by_use[static_cast<size_t>(MemoryUse::staged_input)] += staged;
    return plan;
  }
  MemoryPlan plan{.peak_bytes = memory->all() + staged,
                  .state_bytes = bytes_of(graph, Role::state),
                  .arena_bytes = memory->temporary};
  auto use = [&](MemoryUse each) -> int64_t& {
    return plan.peak_by_use[static_cast<size_t>(each)];
  };
  use(MemoryUse::state) = plan.state_bytes;
  use(MemoryUse::staged_input) = memory->arguments - plan.state_bytes + staged;
  use(MemoryUse::results) = memory->outputs - memory->aliased;
  use(MemoryUse::workspace) = memory->temporary;  // activations and gradients among it
  use(MemoryUse::program) = memory->code;
  return plan;
}

}  // namespace hornbeam
