// Writing models for Keras.
#pragma once

#include <filesystem>

#include "nn/compile_state.h"

namespace hornbeam {

// A .keras archive that every Keras 3 loads; with `config` and `state` compiled and with its
// optimizer's state. Written aside and renamed.
void save_keras(const std::filesystem::path& path, Model& model, const CompileConfig* config,
                const OptimizerState* state);

}  // namespace hornbeam
