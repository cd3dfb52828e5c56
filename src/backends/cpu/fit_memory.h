// The way of running a batch that fits into the memory there is.
#pragma once

#include <memory>

#include "backends/cpu/cpu_compiler.h"

namespace hornbeam {

// The uncut batch when its plan is within `limit`; else the fastest plan found that is, of
// microbatches of some sizes, each keeping between its parts as much as the limit allows; else the
// one that needs least.
//
// The size of the parts decides how sums are rounded, so it must not depend on the threads, whose
// workspaces the plan counts: all of it is decided as for one thread, without the reserve. The
// batch then runs with as many of `threads` as fit into the limit.
std::unique_ptr<CpuExecutable> fit_memory(const CpuCompiler& compiler, int64_t limit, int threads);

}  // namespace hornbeam
