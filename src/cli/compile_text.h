// What a model was compiled with, as people write it.
#pragma once

#include <string>

#include "nn/compile_state.h"

namespace hornbeam {

// One line for each of optimizer, loss, metrics and weights that is set; of settings those that
// differ from Keras' own: "  optimizer         SGD(momentum=0.9)\n".
std::string compile_text(const CompileConfig& config);

}  // namespace hornbeam
