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
  // In the order in which they run, with those of inner graphs behind the kernel that runs them.
  std::vector<KernelRecord> kernels() const;
  size_t kernel_count() const { return kernel_count_; }
  // About what all this takes beside the arena.
  int64_t program_bytes() const;
  KernelCost cost() const;  // of all nodes together, inner graphs included
  // How long the choice of kernels and the memory plan took.
  const std::vector<PassRecord>& records() const { return records_; }

  // Runs all nodes, then the copies of the plan. `arena` has the planned size; `inputs` has the
  // memory of each input. Allocates nothing when its kernels do not. `times` has an entry
  // for each of kernels().
  void run(ThreadPool& threads, std::byte* arena, std::span<std::byte* const> inputs,
           KernelTimes times);

  // Where a value of the plan lies during such a run.
  std::byte* address(Place place, std::byte* arena, std::span<std::byte* const> inputs) const;

 private:
  struct Step {
    uint32_t node;
    ChosenKernel kernel;
    bool is_shared;                          // with a step before it
    size_t record;                           // its place in kernels()
    std::vector<const std::byte*> operands;  // filled in for every run
    std::vector<std::byte*> results;
  };

  void choose_kernels(const CpuInfo& cpu);
  const Step* step_like(const Node& node) const;
  void plan_storage();
  template <class Work>
  void timed(std::string name, Work work);
  void add_records(const Step& step, std::vector<KernelRecord>& records) const;
  void run_step(Step& step, ThreadPool& threads, std::byte* arena,
                std::span<std::byte* const> inputs, KernelTimes times);

  std::shared_ptr<const Graph> graph_;
  std::vector<Step> steps_;
  size_t kernel_count_ = 0;
  StoragePlan storage_;
  std::vector<PassRecord> records_;
};

}  // namespace hornbeam
