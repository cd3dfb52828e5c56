#include "keras/save.h"

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

void write_weights(const std::filesystem::path& path, Model& model, const CompileConfig* config,
                   const OptimizerState* state) {
  Hdf5Document document{.groups = {"vars"}};  // Keras before 3.6 wants the empty group
  for (const StoredWeight& stored : stored_weights(model))
    document.datasets.push_back({stored.path, &stored.weight->value});
  if (config == nullptr || state == nullptr) return write_hdf5(path, document);
  Tensor iteration = Tensor::scalar(state->iteration);
  Tensor rate = Tensor::scalar(static_cast<float>(state->learning_rate));
  document.datasets.push_back({"optimizer/vars/0", &iteration});
  document.datasets.push_back({"optimizer/vars/1", &rate});
  size_t number = 2;
  for (const Tensor* slot : stored_slots(*config->optimizer, *state))
    document.datasets.push_back({"optimizer/vars/" + std::to_string(number++), slot});
  write_hdf5(path, document);
}

}  // namespace

void save_keras(const std::filesystem::path& path, Model& model, const CompileConfig* config,
                const OptimizerState* state) {
  Json metadata = Json::object({{"keras_version", "3.0.5"}, {"date_saved", now()}});
  Json architecture = model_json(model);
  if (config != nullptr) architecture.set("compile_config", compile_config_json(*config));
  ScratchFile weights(path, "weights");
  write_weights(weights.path(), model, config, state);
  std::vector<ZipEntry> entries{{"metadata.json", bytes_of(json_text(metadata))},
                                {"config.json", bytes_of(json_text(architecture))},
                                {"model.weights.h5", {}, weights.path()}};
  write_zip(path, entries);
}

}  // namespace hornbeam
