// --class-weight '{"0": 1, "1": 3}'.
#pragma once

#include <cstdint>
#include <map>

#include "cli/options.h"
#include "nn/model.h"

namespace hornbeam {

using ClassWeights = std::map<int64_t, double>;

// Empty when none are given. H302 for what is no object of class numbers with weights from 0.
ClassWeights class_weights(const Options& options);
// Refuses a class that the model does not tell apart (H302).
void check_class_weights(const ClassWeights& weights, const Model& model);

}  // namespace hornbeam
