// A step compiled by a plugin.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "backends/pjrt/client.h"
#include "backends/pjrt/pjrt_buffer.h"
#include "compile/pipeline.h"
#include "runtime/backend.h"

namespace hornbeam {

class PjrtExecutable : public Executable {
 public:
  // `compiled` is the graph that the program was printed from: that of one device.
  PjrtExecutable(const pjrt::DeviceClient& client, std::shared_ptr<pjrt::LoadedHandle> program,
                 PipelineResult compiled, int devices, MemoryPlan plan);
  ~PjrtExecutable() override;

  const MemoryPlan& memory_plan() const override { return plan_; }
  const std::vector<PassRecord>& passes() const override { return passes_; }
  // One for the whole program: what is inside is the plugin's.
  std::vector<KernelRecord> kernels() const override;
  void record_times(Profile* profile) override { profile_ = profile; }

  void prepare() override {}
  void run(std::span<const Buffer> inputs, std::span<Buffer> outputs) override;

 private:
  pjrt::ArrayRows arrays_of(std::span<const Buffer> inputs) const;
  void hand_over(pjrt::ArrayRows& arrays, std::span<const Buffer> inputs,
                 std::span<Buffer> outputs) const;
  // Waits until at most so many steps are on their way.
  void wait_for_all_but(size_t steps);

  const pjrt::DeviceClient& client_;
  std::shared_ptr<pjrt::LoadedHandle> program_;
  Graph graph_;
  std::vector<std::optional<size_t>> state_inputs_;  // by output: the input that it replaces
  std::vector<PassRecord> passes_;
  int devices_;
  MemoryPlan plan_;
  std::deque<std::vector<pjrt::Event*>> on_their_way_;
  Profile* profile_ = nullptr;
};

// The plan of a step by what its program needs on one device, or by our own count where the plugin
// does not tell. `batches` of input are there at a time.
MemoryPlan pjrt_memory_plan(const Graph& graph, const std::optional<pjrt::ProgramMemory>& memory,
                            int64_t batches);

}  // namespace hornbeam
