// Models from the JSON that Keras writes: Keras 3 and 2, Sequential and graphs, nested, and the common
// layers of Keras 1.
#pragma once

#include <memory>
#include <string>

#include "nn/compile_state.h"

namespace hornbeam {

// `json` is {"class_name", "config", …}. `place` names it in errors. Throws H110 for unknown layers, H111
// for unknown settings, H113 for a broken graph, each naming the layer. Layers are built when the model
// declares its input shapes.
std::shared_ptr<Model> read_model(const Json& json, const std::string& place);

// The compile_config of Keras 3 or the training_config of Keras 2; nothing when it is empty.
std::optional<CompileConfig> read_compile_config(const Json& json, const std::string& place);

}  // namespace hornbeam
