#include "keras/weight_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "keras/weight_paths.h"

namespace hornbeam {
namespace {

constexpr std::string_view layers_folder = "layers/";
constexpr std::string_view older_layers_folder = "_layer_checkpoint_dependencies/";

// "layers/functional/layers/dense" with every "layers/" of a model replaced.
std::string with_older_folders(std::string_view path) {
  std::string older;
  while (path.starts_with(layers_folder)) {
    path.remove_prefix(layers_folder.size());
    size_t end = std::min(path.find('/'), path.size() - 1) + 1;
    older += std::string(older_layers_folder) + std::string(path.substr(0, end));
    path.remove_prefix(end);
  }
  return older + std::string(path);
}

}  // namespace

bool holds_keras_3_weights(const Hdf5Group& file) {
  return file.has_group(layers_folder) || file.has_group(older_layers_folder);
}

void assign(Weight& weight, const Tensor& value, const std::string& place) {
  if (value.shape() != weight.shape)
    throw Error("H112",
                {.message = fmt::format("'{}' has shape {}, the layer needs {}", weight.name,
                                        to_string(value.shape()), to_string(weight.shape)),
                 .place = place});
  weight.value = value.converted(DType::float32);
}

void read_weights(const Hdf5Group& file, const std::string& name, Model& model) {
  bool older = !file.has_group(layers_folder) && file.has_group(older_layers_folder);
  for (const StoredWeight& stored : stored_weights(model)) {
    std::string path = older ? with_older_folders(stored.path) : stored.path;
    std::string place = name + ", " + path;
    if (!file.has(path))
      throw Error("H112",
                  {.message = fmt::format("the weight '{}' is missing", stored.weight->name),
                   .place = place});
    assign(*stored.weight, file.dataset(path), place);
  }
}

}  // namespace hornbeam
