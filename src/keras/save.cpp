#include "keras/save.h"

#include <fmt/format.h>

#include <ctime>

#include "base/files.h"
#include "formats/hdf5_writer.h"
#include "formats/zip.h"
#include "keras/model_writer.h"
#include "keras/weight_paths.h"

namespace hornbeam {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string now() {
  std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d@%H:%M:%S", &parts)};
}

void add_optimizer(const Optimizer& optimizer, const OptimizerSources& state,
                   Hdf5Document& document) {
  auto add = [&, number = 0](TensorSource variable) mutable {
    document.datasets.push_back({fmt::format("optimizer/vars/{}", number++), std::move(variable)});
  };
  add(source_owning(Tensor::scalar(state.iteration)));
  add(source_owning(Tensor::scalar(static_cast<float>(state.learning_rate))));
  for (const TensorSource* slot : stored_slots(optimizer, state)) add(*slot);
}

Hdf5Document weights_document(Model& model, const CompileConfig* config,
                              const StateSources& state) {
  Hdf5Document document{.groups = {"vars"}};  // Keras before 3.6 wants the empty group
  for (const StoredWeight& stored : stored_weights(model))
    document.datasets.push_back({stored.path, state.weights.at(stored.weight)});
  if (config != nullptr && state.optimizer)
    add_optimizer(*config->optimizer, *state.optimizer, document);
  return document;
}

}  // namespace

void save_keras(const std::filesystem::path& path, Model& model, const CompileConfig* config,
                const StateSources& state) {
  Json metadata = Json::object({{"keras_version", "3.0.5"}, {"date_saved", now()}});
  Json architecture = model_json(model);
  if (config != nullptr) architecture.set("compile_config", compile_config_json(*config));
  ScratchFile weights(path, "weights");
  write_hdf5(weights.path(), weights_document(model, config, state), path);
  std::vector<ZipEntry> entries{{"metadata.json", bytes_of(json_text(metadata))},
                                {"config.json", bytes_of(json_text(architecture))},
                                {"model.weights.h5", {}, weights.path()}};
  write_zip(path, entries);
}

}  // namespace hornbeam
