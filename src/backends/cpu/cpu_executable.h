// A compiled graph on the CPU: the chosen kernels in order, their memory in one arena.
#pragma once

#include <memory>

#include "backends/cpu/cpu_buffer.h"
#include "backends/cpu/kernel.h"
#include "compile/memory_plan.h"
#include "runtime/backend.h"

namespace hornbeam {

class CpuExecutable : public Executable {
 public:
  CpuExecutable(Graph graph, std::vector<PassRecord> passes, std::shared_ptr<ThreadPool> threads);

  const MemoryPlan& memory_plan() const override { return storage_.summary; }
  const std::vector<PassRecord>& passes() const override { return passes_; }
  std::vector<std::string> kernel_report() const override;
  void prepare() override;
  void run(std::span<const Buffer> inputs, std::span<Buffer> outputs) override;

 private:
  struct Step {
    uint32_t node;
    ChosenKernel kernel;
    std::vector<const std::byte*> operands;  // filled in for every run
    std::vector<std::byte*> results;
  };

  void choose_kernels();
  void plan_memory();
  void require_types(std::span<const Buffer> inputs) const;
  std::byte* address(Place place) const;
  void run_step(Step& step);

  Graph graph_;
  std::vector<PassRecord> passes_;
  std::shared_ptr<ThreadPool> threads_;
  std::vector<Step> steps_;
  StoragePlan storage_;
  std::shared_ptr<Memory> arena_;            // set by prepare()
  std::vector<std::byte*> input_addresses_;  // of the current run
  std::vector<Buffer> results_;              // by output; empty for state
};

}  // namespace hornbeam
