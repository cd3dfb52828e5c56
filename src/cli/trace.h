// Traced steps in the format of Chrome's about:tracing, which Perfetto reads too: `train --trace`.
#pragma once

#include "base/json.h"
#include "train/step_profile.h"

namespace hornbeam {

inline constexpr size_t traced_steps = 10;

// One event for each kernel of each traced step.
Json chrome_trace(const StepProfile& profile);

}  // namespace hornbeam
