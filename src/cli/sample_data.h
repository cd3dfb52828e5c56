// What a step is compiled for where nothing is trained: plans and inspections.
#pragma once

#include "cli/options.h"
#include "data/dataset.h"
#include "nn/compile_state.h"

namespace hornbeam {

// The first batch of --data, or zeros of the shapes that the model declares (H114 when it declares
// none), checked as for a training; the model is built for it, and the batch no larger than it.
Dataset data_to_plan_for(Options& options, SavedModel& saved, const CompileConfig& config,
                         int64_t zeros = 1);

}  // namespace hornbeam
