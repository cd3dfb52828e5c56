// Timing and the limits of this machine, measured beside the kernels because clocks drift.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/threads.h"

namespace hornbeam {

// Seconds of one call: the median over calls of about 0.3 seconds in all.
double seconds_of(const std::function<void()>& call);

// Two calls timed in turns, so that drifting clocks hit both alike: seconds of the first and the
// second.
std::pair<double, double> seconds_of_both(const std::function<void()>& first,
                                          const std::function<void()>& second);

double peak_gflops(ThreadPool& threads);     // fused multiply-adds in registers
double copy_gigabytes(ThreadPool& threads);  // bytes read plus bytes written, large blocks

struct AlignedFree {
  void operator()(float* memory) const;
};
using Floats = std::unique_ptr<float[], AlignedFree>;
Floats random_block(int64_t count);  // in [-1, 1), 64-byte aligned; bytes / 4 for workspaces

}  // namespace hornbeam
