// Names and values of Keras 1 and 2 in terms of Keras 3.
#pragma once

#include <string>

#include "base/json.h"
#include "keras/origin.h"

namespace hornbeam {

struct LayerForm {
  std::string class_name;
  Json config;
};

// The layer with its settings under their present names. A setting that is already there is kept;
// one that has no present form is left as it is, for the layer to refuse.
LayerForm modern_layer(LayerForm layer, const Origin& origin);

// An optimizer's configuration: lr, and epsilon null.
Json modern_optimizer_config(Json config);

// Metrics of tf.keras, which wraps functions: {"MeanMetricWrapper", fn}. Lists are walked.
Json modern_metrics(Json metrics);

}  // namespace hornbeam
