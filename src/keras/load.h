// Model files of any kind: .keras, .h5 and .json.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "nn/compile_state.h"

namespace hornbeam {

// The model in a file, with weights, compile settings and optimizer state as far as the file has
// them. `weights` is a file of weights for a .json architecture, or empty. Errors name the file.
SavedModel load_model_file(const std::filesystem::path& path, const std::filesystem::path& weights);

// The same from the bytes of a file called `name`, whose ending says what they are.
SavedModel load_model(std::vector<std::byte> content, const std::string& name);

}  // namespace hornbeam
