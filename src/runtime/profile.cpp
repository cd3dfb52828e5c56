#include "runtime/profile.h"

namespace hornbeam {
namespace {

double seconds_between(Profile::Moment begin, Profile::Moment end) {
  return std::chrono::duration<double>(end - begin).count();
}

// How often kernels end in a run, at most: a loop ends once more than it has rounds, each of which
// ends a kernel.
size_t most_ends(std::span<const KernelRecord> kernels) {
  size_t ends = 0;
  for (const KernelRecord& record : kernels) ends += 2 * static_cast<size_t>(record.calls);
  return ends;
}

}  // namespace

Profile::Profile(std::span<const KernelRecord> kernels, size_t traced_runs)
    : kernel_seconds_(kernels.size()), traced_runs_(static_cast<int64_t>(traced_runs)) {
  traced_.reserve(traced_runs * (most_ends(kernels) + 1));
}

void Profile::keep(std::optional<size_t> kernel, Moment moment) {
  const bool has_room = traced_.size() < traced_.capacity();
  if (runs_ < traced_runs_ && has_room) traced_.push_back({kernel, moment});
}

void Profile::begin_run() {
  run_began_ = kernel_began_ = Clock::now();
  keep({}, run_began_);
}

void Profile::end_kernel(size_t kernel) {
  const Moment now = Clock::now();
  kernel_seconds_[kernel] += seconds_between(kernel_began_, now);
  kernel_began_ = now;
  keep(kernel, now);
}

void Profile::end_run() {
  seconds_ += seconds_between(run_began_, Clock::now());
  ++runs_;
}

}  // namespace hornbeam
