// The passes of the CPU backend, in order.
#pragma once

#include <vector>

#include "backends/cpu/kernel.h"
#include "compile/pipeline.h"

namespace hornbeam {

// How the batch of a replica is to be cut, and what the pass made of it.
struct MicrobatchRequest {
  int64_t samples = 0;    // in each part; 0: not at all
  int64_t most_kept = 0;  // bytes that may be kept for the whole batch
  Microbatches chosen = {};
};

// `microbatches` must outlive the passes.
std::vector<Pass> cpu_passes(const CompileOptions& options, const CpuInfo& cpu,
                             MicrobatchRequest& microbatches);

}  // namespace hornbeam
