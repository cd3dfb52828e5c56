// Names of Keras 1 and 2 in terms of Keras 3.
#pragma once

#include <string>

#include "base/json.h"

namespace hornbeam {

struct LayerForm {
  std::string class_name;
  Json config;
};

// The layer with its settings under their present names. A setting that is already there is kept.
LayerForm modern_layer(LayerForm layer);

// An optimizer's configuration: lr, and epsilon null.
Json modern_optimizer_config(Json config);

}  // namespace hornbeam
