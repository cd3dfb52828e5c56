// A data set of the right shapes of zeros, for plans and inspections without data.
#pragma once

#include "data/dataset.h"
#include "nn/compile_state.h"

namespace hornbeam {

// H114 when the model does not say the shapes of its inputs.
Dataset data_like(const Model& model, const CompileConfig& config, int64_t samples = 1);

}  // namespace hornbeam
