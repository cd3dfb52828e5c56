// What a file says about training: optimizer, loss and metrics, and how far the optimizer has come.
#pragma once

#include "formats/hdf5.h"
#include "keras/origin.h"
#include "nn/compile_state.h"

namespace hornbeam {

// Takes the compile_config of Keras 3 or the training_config of Keras 2 into `saved`. An optimizer
// that cannot be used keeps the model from nothing but training: it becomes
// saved.optimizer_problem. Losses and metrics are not looked at before they are used.
void read_compile_config(const Json& json, const std::string& place, SavedModel& saved);

// Takes the optimizer's state from a file of weights of Keras 3, or from a legacy file with the
// group optimizer_weights. A state that does not fit the optimizer is left out with a note, as
// Keras does.
void read_optimizer_state(const Hdf5Group& file, SavedModel& saved);
void read_legacy_optimizer_state(const Hdf5Group& file, const Origin& origin,
                                 const Json& training_config, SavedModel& saved);

}  // namespace hornbeam
