#include "backends/reference/reference_backend.h"

#include <cstring>

#include "base/error.h"
#include "compile/memory_plan.h"
#include "compile/pipeline.h"
#include "ir/interpret.h"

namespace hornbeam {
namespace {

struct TensorBuffer : DeviceBuffer {
  explicit TensorBuffer(const Type& t) : buffer_type(t), tensor(t.dtype, t.shape) {}
  const Type& type() const override { return buffer_type; }

  Type buffer_type;
  Tensor tensor;
};

TensorBuffer& own(DeviceBuffer& buffer) {
  auto* found = dynamic_cast<TensorBuffer*>(&buffer);
  check(found != nullptr, "the buffer is one of the reference backend");
  return *found;
}

// The plan of what interpret() holds: every value has memory of its own.
MemoryPlan plan_of(const Graph& graph) {
  return plan_memory(graph, std::vector<NodeMemory>(graph.nodes().size())).summary;
}

class ReferenceExecutable : public Executable {
 public:
  explicit ReferenceExecutable(PipelineResult compiled)
      : graph_(std::move(compiled.graph)),
        passes_(std::move(compiled.passes)),
        plan_(plan_of(graph_)) {}

  const MemoryPlan& memory_plan() const override { return plan_; }
  const std::vector<PassRecord>& passes() const override { return passes_; }

  std::vector<KernelRecord> kernels() const override {
    std::vector<KernelRecord> records;
    for (uint32_t number = 0; number < graph_.nodes().size(); ++number) {
      const Node& node = graph_.nodes()[number];
      if (node.op == &input_op) continue;
      records.push_back({.node = std::to_string(number),
                         .op = node.op->name,
                         .scope = node.scope,
                         .result = node.results[0],
                         .kernel = "reference"});
    }
    return records;
  }

  void record_times(Profile* profile) override { profile_ = profile; }

  void prepare() override {}

  void run(std::span<const Buffer> inputs, std::span<Buffer> outputs) override {
    std::vector<Tensor> tensors;
    for (const Buffer& input : inputs) tensors.push_back(own(*input).tensor);
    std::vector<Tensor> results = interpreted(tensors);
    check(outputs.size() == results.size(), "one buffer for each output of a graph");
    for (size_t i = 0; i < results.size(); ++i) {
      outputs[i] = buffer_for(graph_.outputs()[i], inputs);
      own(*outputs[i]).tensor = std::move(results[i]);
    }
  }

 private:
  std::vector<Tensor> interpreted(std::span<const Tensor> inputs) {
    if (profile_ == nullptr) return interpret(graph_, inputs);
    profile_->begin_run();
    size_t kernel = 0;
    std::vector<Tensor> results =
        interpret(graph_, inputs, [&] { profile_->end_kernel(kernel++); });
    profile_->end_run();
    return results;
  }

  // The donated buffer of a state; a new one for everything else.
  Buffer buffer_for(const Port& output, std::span<const Buffer> inputs) const {
    if (output.role == Role::state)
      for (size_t i = 0; i < inputs.size(); ++i)
        if (graph_.inputs()[i].role == Role::state && graph_.inputs()[i].name == output.name)
          return inputs[i];
    return std::make_shared<TensorBuffer>(graph_.type(output.value));
  }

  Graph graph_;
  std::vector<PassRecord> passes_;
  MemoryPlan plan_;
  Profile* profile_ = nullptr;
};

}  // namespace

std::unique_ptr<Executable> ReferenceBackend::compile(const Graph& graph,
                                                      const CompileOptions& options) {
  std::vector<Pass> passes =
      neutral_passes(options, [](const Node&, const Types&) { return false; });
  return std::make_unique<ReferenceExecutable>(run_passes(graph, passes, options));
}

Buffer ReferenceBackend::allocate(const Type& type, Role) {
  return std::make_shared<TensorBuffer>(type);
}

void ReferenceBackend::upload(const Tensor& tensor, DeviceBuffer& buffer) {
  TensorBuffer& target = own(buffer);
  check(target.buffer_type == Type{tensor.dtype(), tensor.shape()}, "upload keeps the type");
  std::memcpy(target.tensor.data(), tensor.data(), tensor.bytes());
}

void ReferenceBackend::download(const DeviceBuffer& buffer, int64_t first,
                                std::span<std::byte> part) const {
  const Tensor& tensor = own(const_cast<DeviceBuffer&>(buffer)).tensor;
  std::memcpy(part.data(), tensor.data() + first, part.size());
}

}  // namespace hornbeam
