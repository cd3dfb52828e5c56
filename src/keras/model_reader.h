// Models from the JSON that Keras writes: Keras 3 and 2, Sequential and graphs, nested, and the
// common layers of Keras 1.
//
// The text may be hostile: a model that is read has inputs for all its calls, names that are
// unique, and no more than a bounded number of layer calls, nested models counted as often as they
// are used.
#pragma once

#include <memory>
#include <string>

#include "keras/origin.h"
#include "nn/model.h"

namespace hornbeam {

// `json` is {"class_name", "config", …}. `place` names the model in errors. Throws H110 for unknown
// layers, H111 for unknown settings, H113 for a broken graph, each naming the layer, and H104 for
// JSON of another form. Layers are built when the model declares its input shapes.
std::shared_ptr<Model> read_model(const Json& json, const std::string& place, const Origin& origin);

}  // namespace hornbeam
