// Writing models for Keras.
#pragma once

#include <filesystem>

#include "nn/compile_state.h"

namespace hornbeam {

// A .keras archive that every Keras 3 loads; with `config` compiled and with its optimizer's state,
// where there is one. The state is read in parts and never held in memory as a whole. Written aside
// and renamed.
void save_keras(const std::filesystem::path& path, Model& model, const CompileConfig* config,
                const StateSources& state);

}  // namespace hornbeam
