// The way of running a batch that fits into the memory there is.
#pragma once

#include <functional>
#include <memory>

#include "backends/cpu/cpu_executable.h"
#include "backends/cpu/cpu_passes.h"

namespace hornbeam {

// Compiles the graph for so many threads, with the batch cut as asked.
using CompileCut =
    std::function<std::unique_ptr<CpuExecutable>(MicrobatchRequest request, int threads)>;

// The uncut batch when its plan is within `limit`; else the fastest plan found that is, of
// microbatches of some sizes, each keeping between its parts as much as the limit allows; else the
// one that needs least. `samples`: the batch of one replica.
//
// The size of the parts decides how sums are rounded, so it must not depend on the threads, whose
// workspaces the plan counts: it is chosen as for one thread, without the reserve. Only where that
// is not enough for the other threads the size is chosen again.
std::unique_ptr<CpuExecutable> fit_memory(int64_t samples, int64_t limit, int threads,
                                          const CompileCut& compile);

}  // namespace hornbeam
