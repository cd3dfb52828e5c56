#include "keras/weight_reader.h"

#include <fmt/format.h>

#include "base/error.h"
#include "keras/weight_paths.h"

namespace hornbeam {

bool holds_keras_3_weights(const Hdf5Group& file) {
  return file.has_group(layers_folder) || file.has_group(older_layers_folder);
}

void assign(Weight& weight, Tensor value, const std::string& place) {
  if (value.shape() != weight.shape)
    throw Error("H112",
                {.message = fmt::format("'{}' has shape {}, the layer needs {}", weight.name,
                                        to_string(value.shape()), to_string(weight.shape)),
                 .place = place});
  weight.value = std::move(value).converted(DType::float32);
}

void read_weights(const Hdf5Group& file, const std::string& name, Model& model) {
  bool older = !file.has_group(layers_folder) && file.has_group(older_layers_folder);
  for (const StoredWeight& stored :
       stored_weights(model, older ? older_layers_folder : layers_folder)) {
    std::string place = name + ", " + stored.path;
    if (!file.has(stored.path))
      throw Error("H112",
                  {.message = fmt::format("the weight '{}' is missing", stored.weight->name),
                   .place = place});
    assign(*stored.weight, file.dataset(stored.path), place);
  }
}

}  // namespace hornbeam
