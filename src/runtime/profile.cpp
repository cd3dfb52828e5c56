#include "runtime/profile.h"

#include "base/error.h"

namespace hornbeam {
namespace {

double seconds_between(Profile::Moment begin, Profile::Moment end) {
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

Profile::Profile(size_t kernels, size_t traced_runs) : kernel_seconds_(kernels) {
  traced_.reserve(traced_runs * (kernels + 1));
}

void Profile::keep(Moment moment) {
  if (traced_.size() < traced_.capacity()) traced_.push_back(moment);
}

void Profile::begin_run() {
  next_kernel_ = 0;
  run_began_ = kernel_began_ = Clock::now();
  keep(run_began_);
}

void Profile::end_kernel() {
  const Moment now = Clock::now();
  kernel_seconds_[next_kernel_++] += seconds_between(kernel_began_, now);
  kernel_began_ = now;
  keep(now);
}

void Profile::end_run() {
  check(next_kernel_ == kernel_seconds_.size(), "a run has as many kernels as its profile");
  seconds_ += seconds_between(run_began_, Clock::now());
  ++runs_;
}

size_t Profile::traced_runs() const { return traced_.size() / (kernel_seconds_.size() + 1); }

std::span<const Profile::Moment> Profile::traced_run(size_t number) const {
  const size_t moments = kernel_seconds_.size() + 1;
  return std::span(traced_).subspan(number * moments, moments);
}

}  // namespace hornbeam
