// The masks that Embedding layers with mask_zero make. They are not computed: a model is refused
// where a mask would make a difference, and is right without it everywhere else.
#pragma once

#include <vector>

#include "nn/model.h"

namespace hornbeam {

// Whether each output has a mask, which its loss and metrics would use. Throws H111, naming the
// layer, when a mask reaches one that would use it.
std::vector<bool> masked_outputs(const Model& model);

}  // namespace hornbeam
