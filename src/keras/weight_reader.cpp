#include "keras/weight_reader.h"

#include <fmt/format.h>

#include "base/error.h"
#include "keras/weight_paths.h"

namespace hornbeam {
namespace {

void assign(Weight& weight, Tensor value, const std::string& place) {
  if (value.shape() != weight.shape)
    throw Error("H112", {.message = fmt::format("'{}' has shape {}, the layer needs {}", weight.name,
                                                to_string(value.shape()), to_string(weight.shape)),
                         .place = place});
  weight.value = value.converted(DType::float32);
}

// A layer of a legacy file that has weights, and where they are.
struct StoredLayer {
  Hdf5Group group;
  std::vector<std::string> weights;
};

// A list of texts that Keras splits into name0, name1, … when it is long.
std::vector<std::string> texts_of(const Hdf5Group& group, const std::string& name) {
  if (group.has_attribute(name)) return group.texts_attribute(name);
  std::vector<std::string> all;
  for (int part = 0; group.has_attribute(name + std::to_string(part)); ++part)
    for (std::string& text : group.texts_attribute(name + std::to_string(part)))
      all.push_back(std::move(text));
  return all;
}

std::vector<StoredLayer> stored_layers(const Hdf5Group& root) {
  std::vector<StoredLayer> layers;
  for (const std::string& name : texts_of(root, "layer_names")) {
    Hdf5Group group = root.group(name);
    std::vector<std::string> weights = texts_of(group, "weight_names");
    if (!weights.empty()) layers.push_back({group, std::move(weights)});
  }
  return layers;
}

// The weights of a layer in the order of legacy files: of a nested model, all that are trained first.
std::vector<Weight*> legacy_order(Layer& layer) {
  std::vector<Weight*> trained, others;
  if (auto model = dynamic_cast<Model*>(&layer)) {
    for (const ModelWeight& each : model->weights())
      (each.trained ? trained : others).push_back(each.weight);
    trained.insert(trained.end(), others.begin(), others.end());
    return trained;
  }
  for (auto& weight : layer.own_weights()) trained.push_back(weight.get());
  return trained;
}

}  // namespace

void read_weights(const Hdf5Group& file, const std::string& name, Model& model) {
  for (const StoredWeight& stored : stored_weights(model)) {
    std::string place = name + ", " + stored.path;
    if (!file.has(stored.path))
      throw Error("H112", {.message = fmt::format("the weight '{}' is missing", stored.weight->name),
                           .place = place});
    assign(*stored.weight, file.dataset(stored.path), place);
  }
}

void read_legacy_weights(const Hdf5Group& file, const std::string& name, Model& model) {
  bool whole = file.has_group("model_weights");
  std::vector<StoredLayer> stored = stored_layers(whole ? file.group("model_weights") : file);
  std::vector<std::shared_ptr<Layer>> layers;
  for (const std::shared_ptr<Layer>& layer : model.layers())
    if (!legacy_order(*layer).empty()) layers.push_back(layer);
  if (layers.size() != stored.size())
    throw Error("H112", {.message = fmt::format("the model has {} layers with weights, the file {}",
                                                layers.size(), stored.size()),
                         .place = name});
  for (size_t i = 0; i < layers.size(); ++i) {
    std::vector<Weight*> weights = legacy_order(*layers[i]);
    std::string place = fmt::format("{}, {} ({})", name, layers[i]->name,
                                    layers[i]->class_name());
    if (weights.size() != stored[i].weights.size())
      throw Error("H112", {.message = fmt::format("the layer has {} weights, the file {}",
                                                  weights.size(), stored[i].weights.size()),
                           .place = place});
    for (size_t j = 0; j < weights.size(); ++j)
      assign(*weights[j], stored[i].group.dataset(stored[i].weights[j]), place);
  }
}

std::optional<OptimizerState> read_optimizer_state(const Hdf5Group& file, const CompileConfig& config,
                                                   Model& model) {
  constexpr const char* variables = "optimizer/vars";
  if (!file.has_group(variables) || !model.built()) return std::nullopt;
  OptimizerState state = fresh_state(*config.optimizer, model);
  std::vector<Tensor*> slots = stored_slots(*config.optimizer, state);
  if (file.group(variables).names().size() != slots.size() + 2) return std::nullopt;
  auto variable = [&](size_t number) { return file.dataset(fmt::format("{}/{}", variables, number)); };
  state.iteration = variable(0).converted(DType::int64).values<int64_t>()[0];
  state.learning_rate = variable(1).converted(DType::float64).values<double>()[0];
  for (size_t i = 0; i < slots.size(); ++i) {
    Tensor value = variable(i + 2);
    if (value.shape() != slots[i]->shape()) return std::nullopt;
    *slots[i] = value.converted(DType::float32);
  }
  return state;
}

}  // namespace hornbeam
