// Runs the body of a fused node one node after another, for what the tile programs do not take.
#pragma once

#include "backends/cpu/kernel.h"

namespace hornbeam {

Planned plan_body(const KernelRequest& request, const CpuInfo& cpu);

}  // namespace hornbeam
