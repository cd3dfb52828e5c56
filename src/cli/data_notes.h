// What is worth knowing of data and settings that can be used as they are: said on stderr.
#pragma once

#include "cli/options.h"
#include "data/dataset.h"
#include "nn/compile_state.h"

namespace hornbeam {

// Inputs that span 0 to 255, as bytes of pictures do, when neither a transform nor the model
// rescales them. Numbers that an Embedding looks up are no pictures.
void note_unscaled(const Options& options, const Dataset& data, const Model& model);
// Targets outside 0 to 1 of a loss that takes probabilities; Keras computes with them all the same.
void note_odd_targets(const Options& options, const Dataset& data, const Model& model,
                      const CompileConfig& config);
void note_fresh_weights(const Options& options);
// A model of which nothing is trained.
void note_nothing_trained(const Options& options, Model& model);
// More replicas than samples in a batch.
void note_idle_replicas(const Options& options);

}  // namespace hornbeam
