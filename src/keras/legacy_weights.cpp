#include "keras/legacy_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/error.h"
#include "keras/weight_reader.h"
#include "nn/layers/picture.h"

namespace hornbeam {
namespace {

// A layer of the file that has weights, and where they are.
struct StoredLayer {
  std::string name;
  Hdf5Group group;
  std::vector<std::string> weights;
};

std::vector<StoredLayer> stored_layers(const Hdf5Group& root) {
  std::vector<StoredLayer> layers;
  for (const std::string& name : text_list(root, "layer_names")) {
    Hdf5Group group = root.group(name);
    std::vector<std::string> weights = text_list(group, "weight_names");
    if (!weights.empty()) layers.push_back({name, group, std::move(weights)});
  }
  return layers;
}

// The group of layers: model_weights, or the root of a file that has weights only.
Hdf5Group layers_group(const Hdf5Group& file) {
  return file.has_group("model_weights") ? file.group("model_weights") : file;
}

struct Parts {
  std::vector<Weight*> trained, other;

  std::vector<Weight*> together() const {
    std::vector<Weight*> all = trained;
    all.insert(all.end(), other.begin(), other.end());
    return all;
  }
};

// All weights inside in their plain order, each by the flag of its own layer.
std::vector<std::pair<Weight*, bool>> flagged(Layer& layer) {
  std::vector<std::pair<Weight*, bool>> all;
  if (auto model = dynamic_cast<Model*>(&layer))
    for (const std::shared_ptr<Layer>& each : model->layers())
      std::ranges::copy(flagged(*each), std::back_inserter(all));
  else
    for (auto& weight : layer.own_weights())
      all.emplace_back(weight.get(), layer.trainable && weight->trainable);
  return all;
}

// Keras 3: the flag of the nested model says whether its weights are parted, those of the layers
// how.
Parts parts_of_keras_3(Layer& layer) {
  Parts parts;
  for (auto [weight, trained] : flagged(layer))
    (layer.trainable && trained ? parts.trained : parts.other).push_back(weight);
  return parts;
}

// Keras 1 and 2: every layer parts its own, and a frozen one has those that it would train first.
Parts parts_of_keras_2(Layer& layer) {
  Parts parts;
  auto append = [](std::vector<Weight*>& all, const std::vector<Weight*>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  if (auto model = dynamic_cast<Model*>(&layer))
    for (const std::shared_ptr<Layer>& each : model->layers()) {
      Parts inner = parts_of_keras_2(*each);
      append(parts.trained, inner.trained);
      append(parts.other, inner.other);
    }
  for (auto& weight : layer.own_weights())
    (weight->trainable ? parts.trained : parts.other).push_back(weight.get());
  return layer.trainable ? parts : Parts{{}, parts.together()};
}

// The weights of a layer of the model in the order of the file: those that it trains come first.
std::vector<Weight*> legacy_order(Layer& layer, const Origin& origin) {
  return (origin.major > 2 ? parts_of_keras_3(layer) : parts_of_keras_2(layer)).together();
}

struct Pair {
  Layer* layer;
  const StoredLayer* stored;
};

std::vector<Pair> paired(const std::vector<std::shared_ptr<Layer>>& layers,
                         const std::vector<StoredLayer>& stored) {
  std::map<std::string_view, const StoredLayer*> named;
  for (const StoredLayer& each : stored) named[each.name] = &each;
  bool all_named = std::ranges::all_of(
      layers, [&](const std::shared_ptr<Layer>& layer) { return named.contains(layer->name); });
  std::vector<Pair> pairs;
  for (size_t i = 0; i < layers.size(); ++i)
    pairs.push_back({layers[i].get(), all_named ? named[layers[i]->name] : &stored[i]});
  return pairs;
}

Tensor transposed(const Tensor& tensor, const std::array<int64_t, 4>& order) {
  const Shape& from = tensor.shape();
  Shape to{from[order[0]], from[order[1]], from[order[2]], from[order[3]]};
  std::vector<int64_t> strides = from.strides();
  Tensor result(DType::float32, to);
  float* out = result.values<float>().data();
  const float* in = tensor.values<float>().data();
  for (int64_t a = 0; a < to[0]; ++a)
    for (int64_t b = 0; b < to[1]; ++b)
      for (int64_t c = 0; c < to[2]; ++c)
        for (int64_t d = 0; d < to[3]; ++d)
          *out++ = in[a * strides[order[0]] + b * strides[order[1]] + c * strides[order[2]] +
                      d * strides[order[3]]];
  return result;
}

// Turned by 180 degrees: a kernel (rows, columns, channels, filters) read backwards in both.
Tensor mirrored(const Tensor& kernel) {
  const Shape& shape = kernel.shape();
  int64_t cells = shape[0] * shape[1], block = shape[2] * shape[3];
  Tensor result(DType::float32, shape);
  std::span<const float> in = kernel.values<float>();
  std::span<float> out = result.values<float>();
  for (int64_t cell = 0; cell < cells; ++cell)
    std::ranges::copy(in.subspan(static_cast<size_t>(cell * block), static_cast<size_t>(block)),
                      out.subspan(static_cast<size_t>((cells - 1 - cell) * block)).begin());
  return result;
}

Tensor present_kernel(Tensor kernel, const Conv2D& conv, const Origin& origin) {
  if (kernel.shape().rank() != 4) return kernel;
  kernel = kernel.converted(DType::float32);
  if (origin.major == 1 && conv.data_format == "channels_first")
    kernel = transposed(kernel, {2, 3, 1, 0});
  return origin.backend == "theano" ? mirrored(kernel) : kernel;
}

void read_layer_weights(const Pair& pair, const std::string& file, const Origin& origin) {
  std::vector<Weight*> weights = legacy_order(*pair.layer, origin);
  std::string place = fmt::format("{}, {} ({})", file, pair.layer->name, pair.layer->class_name());
  if (weights.size() != pair.stored->weights.size())
    throw Error("H112", {.message = fmt::format("the layer has {} weights, the file {}",
                                                weights.size(), pair.stored->weights.size()),
                         .place = place});
  auto conv = dynamic_cast<const Conv2D*>(pair.layer);
  for (size_t i = 0; i < weights.size(); ++i) {
    Tensor value = pair.stored->group.dataset(pair.stored->weights[i]);
    bool kernel = conv != nullptr && weights[i]->name == "kernel";
    assign(*weights[i], kernel ? present_kernel(std::move(value), *conv, origin) : value, place);
  }
}

std::string text_or_nothing(const Hdf5Group& group, const char* attribute) {
  return group.has_attribute(attribute) ? group.text_attribute(attribute) : "";
}

// Keras 1 did not say what it ran on. Names of weights on TensorFlow end in ":0", on Theano not.
bool looks_like_theano(const std::vector<StoredLayer>& layers) {
  return std::ranges::none_of(layers, [](const StoredLayer& layer) {
    return std::ranges::any_of(layer.weights,
                               [](const std::string& name) { return name.ends_with(":0"); });
  });
}

}  // namespace

std::vector<std::string> text_list(const Hdf5Group& group, const std::string& name) {
  if (group.has_attribute(name)) return group.texts_attribute(name);
  std::vector<std::string> all;
  for (int part = 0; group.has_attribute(name + std::to_string(part)); ++part)
    for (std::string& text : group.texts_attribute(name + std::to_string(part)))
      all.push_back(std::move(text));
  return all;
}

Origin origin_of(const Hdf5Group& file) {
  Hdf5Group layers = layers_group(file);
  const Hdf5Group& group = file.has_attribute("keras_version") ? file : layers;
  Origin origin =
      origin_from(text_or_nothing(group, "keras_version"), text_or_nothing(group, "backend"));
  if (origin.major == 1 && origin.backend.empty() && looks_like_theano(stored_layers(layers)))
    origin.backend = "theano";
  return origin;
}

void read_legacy_weights(const Hdf5Group& file, const std::string& name, const Origin& origin,
                         Model& model) {
  std::vector<StoredLayer> stored = stored_layers(layers_group(file));
  std::vector<std::shared_ptr<Layer>> layers;
  for (const std::shared_ptr<Layer>& layer : model.layers())
    if (!legacy_order(*layer, origin).empty()) layers.push_back(layer);
  if (layers.size() != stored.size())
    throw Error("H112", {.message = fmt::format("the model has {} layers with weights, the file {}",
                                                layers.size(), stored.size()),
                         .place = name});
  for (const Pair& pair : paired(layers, stored)) read_layer_weights(pair, name, origin);
}

}  // namespace hornbeam
