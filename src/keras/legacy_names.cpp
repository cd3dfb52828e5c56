#include "keras/legacy_names.h"

#include <string_view>

namespace hornbeam {
namespace {

struct Renamed {
  std::string_view layer, old_key, new_key;  // layer "" is any
};

constexpr Renamed renamed[] = {
    {"", "init", "kernel_initializer"},
    {"", "W_regularizer", "kernel_regularizer"},
    {"", "b_regularizer", "bias_regularizer"},
    {"", "W_constraint", "kernel_constraint"},
    {"", "b_constraint", "bias_constraint"},
    {"", "bias", "use_bias"},
    {"", "border_mode", "padding"},
    {"", "dim_ordering", "data_format"},
    {"Dense", "output_dim", "units"},
    {"Dropout", "p", "rate"},
    {"Conv2D", "nb_filter", "filters"},
    {"Conv2D", "subsample", "strides"},
    {"LeakyReLU", "alpha", "negative_slope"},
    {"BatchNormalization", "beta_init", "beta_initializer"},
    {"BatchNormalization", "gamma_init", "gamma_initializer"},
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

void replace_text(Json& config, std::string_view key, std::string_view from, std::string_view to) {
  Json* value = config.find(key);
  if (value != nullptr && *value == Json(from)) *value = Json(to);
}

// {"name": "L1L2Regularizer", "l1", "l2"} of Keras 1.
void modern_regularizer(Json& config, std::string_view key) {
  Json* value = config.find(key);
  if (value == nullptr || value->find("class_name") != nullptr || value->find("name") == nullptr)
    return;
  Json inner = Json::object({});
  for (std::string_view part : {"l1", "l2"})
    if (const Json* factor = value->find(part)) inner.set(part, *factor);
  *value = Json::object({{"class_name", "L1L2"}, {"config", inner}});
}

bool written_by_keras_1(const Json& config) {
  for (std::string_view key : {"nb_filter", "border_mode", "W_regularizer", "init", "dim_ordering"})
    if (config.find(key) != nullptr) return true;
  return false;
}

void kernel_size_of_keras_1(Json& config) {
  const Json *rows = config.find("nb_row"), *columns = config.find("nb_col");
  if (rows == nullptr || columns == nullptr) return;
  config.set("kernel_size", Json::Array{*rows, *columns});
  config.erase("nb_row");
  config.erase("nb_col");
}

}  // namespace

LayerForm modern_layer(LayerForm layer) {
  Json& config = layer.config;
  if (!config.is_object()) return layer;
  if (layer.class_name == "Convolution2D") layer.class_name = "Conv2D";
  bool first_version = written_by_keras_1(config);
  for (const Renamed& each : renamed)
    if (each.layer.empty() || each.layer == layer.class_name)
      rename(config, each.old_key, each.new_key);
  kernel_size_of_keras_1(config);
  replace_text(config, "data_format", "tf", "channels_last");
  replace_text(config, "data_format", "th", "channels_first");
  if (config.find("data_format") && (*config.find("data_format") == Json("default")))
    config.erase("data_format");
  for (std::string_view key : {"kernel_regularizer", "bias_regularizer"}) modern_regularizer(config, key);
  if (first_version || layer.class_name == "Dense" || layer.class_name == "Conv2D") {
    drop(config, "activity_regularizer", Json());
    drop(config, "input_dim", Json());
    drop(config, "weights", Json());
  }
  if (layer.class_name == "BatchNormalization") drop(config, "mode", Json(0));
  return layer;
}

Json modern_optimizer_config(Json config) {
  if (!config.is_object()) return config;
  rename(config, "lr", "learning_rate");
  drop(config, "epsilon", Json());
  return config;
}

}  // namespace hornbeam
