// The passes of the CPU backend, in order.
#pragma once

#include <vector>

#include "compile/pipeline.h"

namespace hornbeam {

std::vector<Pass> cpu_passes(const CompileOptions& options, int threads);

}  // namespace hornbeam
