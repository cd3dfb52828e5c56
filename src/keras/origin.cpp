#include "keras/origin.h"

#include <charconv>

namespace hornbeam {
namespace {

std::string text_at(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  return value != nullptr && value->is_text() ? value->as_text() : "";
}

// The layers of a model's configuration, which Keras before 2.2.3 wrote as a plain list.
const Json* layers_of(const Json& model) {
  const Json* config = model.find("config");
  if (config == nullptr || config->is_array()) return config;
  return config->find("layers");
}

// Keys of a layer's configuration that only Keras 1 wrote.
bool has_keys_of_keras_1(const Json& config) {
  for (std::string_view key : {"nb_filter", "border_mode", "W_regularizer", "init", "dim_ordering"})
    if (config.find(key) != nullptr) return true;
  return false;
}

bool has_layers_of_keras_1(const Json& model) {
  const Json* layers = layers_of(model);
  if (layers == nullptr || !layers->is_array()) return false;
  for (const Json& layer : layers->as_array())
    if (const Json* config = layer.find("config"); config && has_keys_of_keras_1(*config))
      return true;
  return false;
}

}  // namespace

Origin origin_from(std::string_view version, std::string_view backend) {
  Origin origin{.major = 1, .backend = std::string(backend)};
  std::from_chars(version.data(), version.data() + version.size(), origin.major);
  return origin;
}

Origin origin_of(const Json& model) {
  std::string version = text_at(model, "keras_version");
  if (!version.empty()) return origin_from(version, text_at(model, "backend"));
  if (model.find("module") != nullptr) return {};
  return {.major = has_layers_of_keras_1(model) ? 1 : 2, .backend = text_at(model, "backend")};
}

}  // namespace hornbeam
