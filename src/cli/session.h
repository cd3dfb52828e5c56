// What the commands have in common: model, data, backend and settings from the options, with what
// is not given taken from the model file and then from the last layer.
#pragma once

#include <memory>
#include <string>

#include "cli/options.h"
#include "data/dataset.h"
#include "nn/compile_state.h"
#include "runtime/backend.h"
#include "train/trainer.h"

namespace hornbeam {

SavedModel load_model(const Options& options);
// What of a file cannot be trained on with, and why; only training and inspection care.
void note_left_out(const Options& options, const SavedModel& saved);
std::shared_ptr<Model> built_in_model(std::string_view name);  // H302 with the nearest name
std::unique_ptr<Backend> backend_for(const Options& options);
int threads_for(const Options& options);
Dataset load_data(const Options& options, const std::string& text, const Model& model);

// The loss, metrics and optimizer of a run; says on stderr what was chosen without being given.
CompileConfig compile_for(const Options& options, const SavedModel& saved, bool training);
// New layers of --transform; H302 for one that cannot be made.
std::vector<std::shared_ptr<Layer>> transforms_for(const Options& options);
TrainerOptions trainer_options(const Options& options, const Backend& backend);
// --replicas, or one for each device.
int replicas_for(const Options& options, const Backend& backend);
// --memory, or what the device has, or what the machine has free; in bytes.
int64_t memory_limit(const Options& options, const Backend& backend);

// Builds a model that declares no shapes for the samples of the data, and draws missing weights;
// says whether there were any.
bool complete_model(SavedModel& saved, const Dataset& data, uint64_t seed);

void note(const Options& options, const std::string& text);  // to stderr unless --quiet

}  // namespace hornbeam
