// Models and their settings as the JSON of Keras 3, with the keys that every Keras 3 can read.
#pragma once

#include "nn/compile_state.h"

namespace hornbeam {

Json model_json(const Model& model);
Json compile_config_json(const CompileConfig& config);

}  // namespace hornbeam
