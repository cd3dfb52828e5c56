// The passes of the CPU backend, in order.
#pragma once

#include <vector>

#include "backends/cpu/kernel.h"
#include "compile/pipeline.h"

namespace hornbeam {

std::vector<Pass> cpu_passes(const CompileOptions& options, const CpuInfo& cpu);

}  // namespace hornbeam
