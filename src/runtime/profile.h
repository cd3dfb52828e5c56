// What the kernels of an executable do, what they are predicted to cost, and how long they took.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/type.h"

namespace hornbeam {

// A kernel of an executable: the node it does, and what that is predicted to cost.
struct KernelRecord {
  uint32_t node = 0;  // its number in the compiled graph
  std::string_view op;
  std::string scope;
  Type result;  // the first one
  std::string kernel;
  std::vector<std::string> refusals;  // of those asked before it, "name: reason"
  double operations = 0;              // on floating-point numbers
  double bytes = 0;                   // read and written
  int64_t workspace_bytes = 0;
};

// The times of runs. Kernels run one after another, so that each begins where the last one ended.
// All memory is allocated when this is made.
class Profile {
 public:
  using Clock = std::chrono::steady_clock;
  using Moment = Clock::time_point;

  // Every moment of the first `traced_runs` runs is kept, and the sums of all runs.
  Profile(size_t kernels, size_t traced_runs);

  // Called by the executable: once a run, once for every kernel in order, once a run.
  void begin_run();
  void end_kernel();
  void end_run();

  int64_t runs() const { return runs_; }
  double seconds() const { return seconds_; }  // of all runs, with what is no kernel's
  double kernel_seconds(size_t kernel) const { return kernel_seconds_[kernel]; }

  // The beginning of a traced run, and the end of each of its kernels.
  size_t traced_runs() const;
  std::span<const Moment> traced_run(size_t number) const;

 private:
  void keep(Moment moment);

  std::vector<double> kernel_seconds_;
  std::vector<Moment> traced_;
  size_t next_kernel_ = 0;
  Moment run_began_, kernel_began_;
  int64_t runs_ = 0;
  double seconds_ = 0;
};

}  // namespace hornbeam
