// A graph with a kernel for every node and a place for every value: what an executable runs, and
// what a kernel runs for the body of its node.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/cpu/kernel.h"
#include "compile/memory_plan.h"
#include "runtime/backend.h"

namespace hornbeam {

class GraphRun {
 public:
  GraphRun(std::shared_ptr<const Graph> graph, const CpuInfo& cpu);

  const Graph& graph() const { return *graph_; }
  const StoragePlan& storage() const { return storage_; }
  std::vector<KernelRecord> kernels() const;
  KernelCost cost() const;  // of all nodes together
  // How long the choice of kernels and the memory plan took.
  const std::vector<PassRecord>& records() const { return records_; }

  // Runs all nodes, then the copies of the plan. `arena` has the planned size; `inputs` has the
  // memory of each input. Allocates nothing when its kernels do not. `profile` gets the times of
  // the kernels, when given.
  void run(ThreadPool& threads, std::byte* arena, std::span<std::byte* const> inputs,
           Profile* profile = nullptr);

  // Where a value of the plan lies during such a run.
  std::byte* address(Place place, std::byte* arena, std::span<std::byte* const> inputs) const;

 private:
  struct Step {
    uint32_t node;
    ChosenKernel kernel;
    std::vector<const std::byte*> operands;  // filled in for every run
    std::vector<std::byte*> results;
  };

  void choose_kernels(const CpuInfo& cpu);
  void plan_storage();
  template <class Work>
  void timed(std::string name, Work work);
  void run_step(Step& step, ThreadPool& threads, std::byte* arena,
                std::span<std::byte* const> inputs);

  std::shared_ptr<const Graph> graph_;
  std::vector<Step> steps_;
  StoragePlan storage_;
  std::vector<PassRecord> records_;
};

}  // namespace hornbeam
