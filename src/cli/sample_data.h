// A data set of the right shapes with one sample, for plans and inspections without data.
#pragma once

#include "data/dataset.h"
#include "nn/compile_state.h"

namespace hornbeam {

// H114 when the model does not say the shapes of its inputs.
Dataset data_like(const Model& model, const CompileConfig& config);

}  // namespace hornbeam
