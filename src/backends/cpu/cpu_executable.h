// A compiled graph on the CPU: its run, the arena it runs in, and the buffers of its results.
#pragma once

#include <memory>

#include "backends/cpu/cpu_buffer.h"
#include "backends/cpu/graph_run.h"
#include "runtime/backend.h"

namespace hornbeam {

class CpuExecutable : public Executable {
 public:
  // `passes` ran before; `staged_bytes` are counted as staged input; the choice of kernels and the
  // memory plan are added to them. The arena is shared by all executables of a backend, of which
  // one runs at a time; so are the threads, of which it uses as many as `cpu` says.
  CpuExecutable(std::shared_ptr<const Graph> graph, std::vector<PassRecord> passes,
                const CpuInfo& cpu, std::shared_ptr<ThreadPool> threads,
                std::shared_ptr<Memory> arena, Microbatches microbatches, int64_t staged_bytes);

  const MemoryPlan& memory_plan() const override { return plan_; }
  const std::vector<PassRecord>& passes() const override { return passes_; }
  std::vector<KernelRecord> kernels() const override { return run_.kernels(); }
  double predicted_seconds() const { return run_.cost().seconds; }  // on a common machine
  void compare_with_uncut(double predicted_seconds) {
    plan_.microbatches.slowdown = this->predicted_seconds() / predicted_seconds;
  }
  // It has fewer threads than were asked for, because all of them would need so many bytes more.
  void miss_for_all_threads(int64_t bytes) { plan_.threads.missing_bytes = bytes; }
  void record_times(Profile* profile) override { profile_ = profile; }
  void prepare() override;
  void run(std::span<const Buffer> inputs, std::span<Buffer> outputs) override;

 private:
  void count(MemoryUse use, int64_t bytes);
  void require_types(std::span<const Buffer> inputs) const;

  std::shared_ptr<ThreadPool> threads_;
  std::shared_ptr<Memory> arena_;
  GraphRun run_;
  MemoryPlan plan_;
  std::vector<PassRecord> passes_;
  bool prepared_ = false;
  Profile* profile_ = nullptr;
  std::vector<std::byte*> input_addresses_;  // of the current run
  std::vector<Buffer> results_;              // by output; empty for state
};

}  // namespace hornbeam
