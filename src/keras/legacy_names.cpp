#include "keras/legacy_names.h"

#include <string_view>

namespace hornbeam {
namespace {

struct Renamed {
  std::string_view layer, old_key, new_key;  // layer "" is any
};

constexpr Renamed renamed_since_keras_1[] = {
    {"Embedding", "init", "embeddings_initializer"},
    {"Embedding", "W_regularizer", "embeddings_regularizer"},
    {"Embedding", "W_constraint", "embeddings_constraint"},
    {"BatchNormalization", "beta_init", "beta_initializer"},
    {"BatchNormalization", "gamma_init", "gamma_initializer"},
    {"Dense", "output_dim", "units"},
    {"Dropout", "p", "rate"},
    {"Conv2D", "nb_filter", "filters"},
    {"Conv2D", "subsample", "strides"},
    {"", "init", "kernel_initializer"},
    {"", "W_regularizer", "kernel_regularizer"},
    {"", "b_regularizer", "bias_regularizer"},
    {"", "W_constraint", "kernel_constraint"},
    {"", "b_constraint", "bias_constraint"},
    {"", "bias", "use_bias"},
    {"", "border_mode", "padding"},
    {"", "dim_ordering", "data_format"},
};

void rename(Json& config, std::string_view old_key, std::string_view new_key) {
  const Json* old_value = config.find(old_key);
  if (old_value == nullptr) return;
  Json value = *old_value;
  config.erase(old_key);
  if (config.find(new_key) == nullptr) config.set(new_key, std::move(value));
}

void drop(Json& config, std::string_view key, const Json& neutral) {
  const Json* value = config.find(key);
  if (value != nullptr && (value->is_null() || *value == neutral)) config.erase(key);
}

void replace(Json& config, std::string_view key, std::string_view from, const Json& to) {
  Json* value = config.find(key);
  if (value != nullptr && *value == Json(from)) *value = to;
}

// {"name": "WeightRegularizer", "l1", "l2"} or {"name": "MaxNorm", "m", "axis"} of Keras 1.
void modern_object(Json& config, std::string_view key) {
  Json* value = config.find(key);
  if (value == nullptr || value->find("class_name") != nullptr) return;
  const Json* name = value->find("name");
  if (name == nullptr || !name->is_text()) return;
  bool regularizer = name->as_text().ends_with("Regularizer");
  Json class_name = regularizer ? Json("L1L2") : *name;
  Json inner = *value;
  inner.erase("name");
  for (auto [old_key, new_key] :
       {std::pair{"m", "max_value"}, {"low", "min_value"}, {"high", "max_value"}})
    rename(inner, old_key, new_key);
  *value = Json::object({{"class_name", class_name}, {"config", inner}});
}

void kernel_size_of_keras_1(Json& config) {
  const Json *rows = config.find("nb_row"), *columns = config.find("nb_col");
  if (rows == nullptr || columns == nullptr) return;
  config.set("kernel_size", Json::Array{*rows, *columns});
  config.erase("nb_row");
  config.erase("nb_col");
}

void layer_of_keras_1(LayerForm& layer) {
  Json& config = layer.config;
  if (layer.class_name == "Convolution2D") layer.class_name = "Conv2D";
  for (const Renamed& each : renamed_since_keras_1)
    if (each.layer.empty() || each.layer == layer.class_name)
      rename(config, each.old_key, each.new_key);
  kernel_size_of_keras_1(config);
  replace(config, "data_format", "tf", "channels_last");
  replace(config, "data_format", "th", "channels_first");
  replace(config, "data_format", "default", nullptr);
  for (std::string_view weight : {"kernel", "bias", "embeddings", "beta", "gamma"})
    for (std::string_view object : {"_regularizer", "_constraint"})
      modern_object(config, std::string(weight) + std::string(object));
  for (std::string_view key : {"activity_regularizer", "input_dim", "input_length", "weights"})
    if (key != "input_dim" || layer.class_name != "Embedding") drop(config, key, Json());
  if (layer.class_name == "Embedding") drop(config, "dropout", Json(0.0));
  if (layer.class_name == "BatchNormalization") drop(config, "mode", Json(0));
}

}  // namespace

LayerForm modern_layer(LayerForm layer, const Origin& origin) {
  if (!layer.config.is_object()) return layer;
  if (layer.class_name == "LeakyReLU") rename(layer.config, "alpha", "negative_slope");
  if (origin.major > 2) return layer;
  if (origin.major == 1) layer_of_keras_1(layer);
  // The function of this name changed from clip(0.2 x + 0.5) to relu6(x + 3) / 6.
  replace(layer.config, "activation", "hard_sigmoid", "legacy_hard_sigmoid");
  return layer;
}

Json modern_optimizer_config(Json config) {
  if (!config.is_object()) return config;
  rename(config, "lr", "learning_rate");
  drop(config, "epsilon", Json());
  return config;
}

Json modern_metrics(Json metrics) {
  if (metrics.is_array()) {
    Json::Array modern;
    for (const Json& metric : metrics.as_array()) modern.push_back(modern_metrics(metric));
    return modern;
  }
  const Json* name = metrics.find("class_name");
  Json* config = metrics.find("config");
  const Json* function = config == nullptr ? nullptr : config->find("fn");
  if (name == nullptr || function == nullptr) return metrics;
  if (*name == Json("MeanMetricWrapper")) metrics.set("class_name", *function);
  metrics.find("config")->erase("fn");
  return metrics;
}

}  // namespace hornbeam
