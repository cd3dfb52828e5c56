// What the kernels of an executable do, what they are predicted to cost, and how long they took.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/type.h"

namespace hornbeam {

// A kernel of an executable: the node it does, and what that is predicted to cost.
struct KernelRecord {
  std::string node;   // its number in the compiled graph; "12.3": number 3 in the loop of node 12
  int64_t calls = 1;  // in a run; in a loop that goes on until something happens: in a round of it
  std::string_view op;
  std::string scope;
  Type result;  // the first one
  std::string kernel;
  std::vector<std::string> refusals;  // of those asked before it, "name: reason"
  double operations = 0;              // of a call, on floating-point numbers
  double bytes = 0;                   // of a call, read and written
  double seconds = 0;                 // of a call, predicted for a common machine; 0: unknown
  int64_t workspace_bytes = 0;
};

// The times of runs. Kernels run one after another, so that each begins where the last one ended.
// All memory is allocated when this is made.
class Profile {
 public:
  using Clock = std::chrono::steady_clock;
  using Moment = Clock::time_point;

  // Every moment of the first `traced_runs` runs is kept, and the sums of all runs.
  Profile(std::span<const KernelRecord> kernels, size_t traced_runs);

  // Called by the executable: once a run, whenever a kernel has ended, once a run.
  void begin_run();
  void end_kernel(size_t kernel);  // which has had the time since the last call
  void end_run();

  int64_t runs() const { return runs_; }
  double seconds() const { return seconds_; }  // of all runs, with what is no kernel's
  double kernel_seconds(size_t kernel) const { return kernel_seconds_[kernel]; }

  // The traced runs, one after another. A kernel that is a loop ends more than once.
  struct Ended {
    std::optional<size_t> kernel;  // none: the beginning of a run
    Moment moment;
  };
  std::span<const Ended> traced() const { return traced_; }

 private:
  void keep(std::optional<size_t> kernel, Moment moment);

  std::vector<double> kernel_seconds_;
  std::vector<Ended> traced_;
  int64_t traced_runs_;
  Moment run_began_, kernel_began_;
  int64_t runs_ = 0;
  double seconds_ = 0;
};

// Where a kernel and what it runs book their times, if anywhere: in entry `number` of a profile and
// those that follow it.
struct KernelTimes {
  Profile* profile = nullptr;
  size_t number = 0;

  void end() const {
    if (profile != nullptr) profile->end_kernel(number);
  }
  KernelTimes behind(size_t entries) const { return {profile, number + entries}; }
};

}  // namespace hornbeam
