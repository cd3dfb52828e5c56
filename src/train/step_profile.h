// Where the time of training steps goes: kernel by kernel, and outside the executable.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ir/scope.h"
#include "runtime/backend.h"

namespace hornbeam {

class StepProfile {
 public:
  // Keeps every moment of the first `traced_steps` steps.
  explicit StepProfile(size_t traced_steps = 0) : traced_steps_(traced_steps) {}

  // Called by the fit: once, then for each epoch and each of its steps.
  void begin(const Executable& executable);
  void begin_epoch() { step_began_ = Profile::Clock::now(); }
  void batch_ready();
  void end_step();
  Profile& times() { return *times_; }

  const std::vector<KernelRecord>& kernels() const { return kernels_; }
  const Profile& times() const { return *times_; }
  // Of an average step.
  double seconds() const { return per_step(seconds_); }
  double executable_seconds() const { return per_step(times_->seconds()); }
  double kernel_seconds(size_t kernel) const { return per_step(times_->kernel_seconds(kernel)); }
  double waiting_seconds() const { return per_step(waiting_); }  // for a batch

 private:
  double per_step(double seconds) const;

  size_t traced_steps_;
  std::vector<KernelRecord> kernels_;
  std::optional<Profile> times_;
  Profile::Moment step_began_;
  double seconds_ = 0, waiting_ = 0;
};

// The kernels of an average step that belong together.
struct LayerTimes {
  std::string layer;  // empty: the step as a whole
  std::array<double, phases> seconds{};

  double all_seconds() const;
};
std::vector<LayerTimes> times_by_layer(const StepProfile& profile);  // in the order of the step

struct KindTimes {
  std::string op, kernel;
  Phase phase = Phase::forward;
  int64_t calls = 0;
  double seconds = 0, operations = 0, bytes = 0;
};
std::vector<KindTimes> times_by_kind(const StepProfile& profile);  // the longest first

}  // namespace hornbeam
