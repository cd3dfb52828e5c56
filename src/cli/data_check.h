// Whether data fits a model, before anything is compiled.
#pragma once

#include "cli/options.h"
#include "data/dataset.h"
#include "nn/compile_state.h"

namespace hornbeam {

// Refuses inputs of another number or shape than the model's (H205), looked at as they leave the
// transforms. A sample with as many numbers fits when one side is flat or only axes of extent 1
// differ, as for pictures of (28, 28) and a model of (28, 28, 1). Numbers that go straight into an
// Embedding must be rows of it (H206).
void check_inputs(const Options& options, const Dataset& data, const Model& model);
// The same, and labels outside the classes of the model (H204).
void check_data(const Options& options, const Dataset& data, const Model& model,
                const CompileConfig& config);
// Says which samples are reshaped for the model.
void note_reshaping(const Options& options, const Dataset& data, const Model& model);

}  // namespace hornbeam
