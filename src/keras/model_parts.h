// What reading Sequential models and reading graphs have in common.
#pragma once

#include <memory>
#include <string>

#include "keras/origin.h"
#include "nn/model.h"

namespace hornbeam {

// More calls of layers than any model of Keras has, and few enough to be walked at once.
inline constexpr int64_t most_layer_calls = 20'000;

[[noreturn]] void broken_graph(const std::string& message, const std::string& place);  // H113
void require_count(size_t calls, const std::string& place);  // at most most_layer_calls

std::string name_in(const Json& config, std::string_view otherwise);
std::string place_of(const std::string& model_place, const Layer& layer);  // "model/conv (Conv2D)"

// An entry of a model's list of layers: a layer or a nested model.
std::shared_ptr<Layer> read_layer(const Json& entry, const std::string& place,
                                  const Origin& origin);
// A model from the config of class Functional or Model.
std::shared_ptr<Model> read_graph(const Json& config, const std::string& place,
                                  const Origin& origin);

}  // namespace hornbeam
