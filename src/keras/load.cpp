#include "keras/load.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "formats/zip.h"
#include "keras/model_reader.h"
#include "keras/weight_reader.h"

namespace hornbeam {
namespace fs = std::filesystem;
namespace {

Json json_of(const std::vector<std::byte>& bytes, const std::string& place) {
  return parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, place);
}

SavedModel saved_model(const Json& json, const std::string& place) {
  SavedModel saved{.model = read_model(json, "")};
  if (const Json* config = json.find("compile_config"))
    saved.compile = read_compile_config(*config, place);
  return saved;
}

SavedModel load_archive(const fs::path& path) {
  ZipReader zip(path);
  std::string place = path.string();
  SavedModel saved = saved_model(json_of(zip.read("config.json"), place + ", config.json"), place);
  Hdf5Group weights =
      Hdf5File::parse(zip.read("model.weights.h5"), place + ", model.weights.h5").root();
  read_weights(weights, place, *saved.model);
  if (saved.compile) saved.optimizer_state = read_optimizer_state(weights, *saved.compile, *saved.model);
  return saved;
}

SavedModel load_legacy(const fs::path& path) {
  Hdf5Group file = Hdf5File::open(path).root();
  std::string place = path.string();
  if (!file.has_attribute("model_config"))
    throw Error("H101", {.message = "the file holds weights only, no model",
                         .place = place,
                         .help = "give the .json architecture as the model and this file as --weights"});
  SavedModel saved{
      .model = read_model(parse_json(file.text_attribute("model_config"), place), "")};
  if (file.has_attribute("training_config"))
    saved.compile =
        read_compile_config(parse_json(file.text_attribute("training_config"), place), place);
  read_legacy_weights(file, place, *saved.model);
  return saved;
}

SavedModel load_json(const fs::path& path, const fs::path& weights) {
  SavedModel saved = saved_model(parse_json(read_text(path), path.string()), path.string());
  if (weights.empty()) return saved;
  Hdf5Group file = Hdf5File::open(weights).root();
  if (file.has_group("layers"))
    read_weights(file, weights.string(), *saved.model);
  else
    read_legacy_weights(file, weights.string(), *saved.model);
  return saved;
}

}  // namespace

SavedModel load_model_file(const fs::path& path, const fs::path& weights) {
  std::string ending = path.extension().string();
  if (!fs::exists(path))
    throw Error("H101", {.message = fmt::format("there is no file '{}'", path.string()),
                         .help = "zoo:NAME takes one of the built-in models; hornbeam zoo lists them"});
  if (ending == ".keras") return load_archive(path);
  if (ending == ".h5" || ending == ".hdf5") return load_legacy(path);
  if (ending == ".json") return load_json(path, weights);
  throw Error("H101", {.message = fmt::format("'{}' is no model file by its name", path.string()),
                       .help = "models are .keras, .h5, .hdf5 or .json files"});
}

}  // namespace hornbeam
