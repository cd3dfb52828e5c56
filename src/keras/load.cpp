#include "keras/load.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "formats/zip.h"
#include "keras/compile_reader.h"
#include "keras/legacy_weights.h"
#include "keras/model_reader.h"
#include "keras/weight_reader.h"

namespace hornbeam {
namespace fs = std::filesystem;
namespace {

Json json_of(const std::vector<std::byte>& bytes, const std::string& place) {
  return parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, place);
}

std::string model_name(const Json& model) {
  const Json* config = model.find("config");
  const Json* name = config == nullptr ? nullptr : config->find("name");
  return name != nullptr && name->is_text() ? name->as_text() : "model";
}

SavedModel saved_model(const Json& json, const std::string& place, const Origin& origin) {
  SavedModel saved{.model = read_model(json, model_name(json), origin)};
  if (const Json* config = json.find("compile_config")) read_compile_config(*config, place, saved);
  return saved;
}

void read_when_built(SavedModel& saved, std::function<void(SavedModel&)> read) {
  if (saved.model->built())
    read(saved);
  else
    saved.read_state = std::move(read);
}

void read_keras_3_state(const Hdf5Group& file, const std::string& place, SavedModel& saved) {
  read_weights(file, place, *saved.model);
  read_optimizer_state(file, saved);
}

Origin origin_of_archive(const ZipReader& zip, const std::string& place) {
  if (!zip.contains("metadata.json")) return {};
  Json metadata = json_of(zip.read("metadata.json"), place + ", metadata.json");
  const Json* version = metadata.find("keras_version");
  return version != nullptr && version->is_text() ? origin_from(version->as_text(), "") : Origin{};
}

SavedModel load_archive(const ZipReader& zip, const std::string& place) {
  Json config = json_of(zip.read("config.json"), place + ", config.json");
  SavedModel saved = saved_model(config, place, origin_of_archive(zip, place));
  std::string weights_place = place + ", model.weights.h5";
  Hdf5Group weights = Hdf5File::parse(zip.source("model.weights.h5"), weights_place).root();
  read_when_built(saved,
                  [=](SavedModel& built) { read_keras_3_state(weights, weights_place, built); });
  return saved;
}

SavedModel load_legacy(const Hdf5File& hdf5, const std::string& place) {
  Hdf5Group file = hdf5.root();
  if (!file.has_attribute("model_config"))
    throw Error("H101",
                {.message = "the file holds weights only, no model",
                 .place = place,
                 .help = "give the .json architecture as the model and this file as --weights"});
  Origin origin = origin_of(file);
  Json model = parse_json(file.text_attribute("model_config"), place + ", model_config");
  SavedModel saved{.model = read_model(model, model_name(model), origin)};
  Json training;
  if (file.has_attribute("training_config")) {
    training = parse_json(file.text_attribute("training_config"), place + ", training_config");
    read_compile_config(training, place, saved);
  }
  read_when_built(saved, [=](SavedModel& built) {
    read_legacy_weights(file, place, origin, *built.model);
    if (!training.is_null()) read_legacy_optimizer_state(file, origin, training, built);
  });
  return saved;
}

SavedModel load_json(const std::vector<std::byte>& content, const std::string& place,
                     const fs::path& weights) {
  Json json = json_of(content, place);
  SavedModel saved = saved_model(json, place, origin_of(json));
  if (weights.empty()) return saved;
  Hdf5Group file = Hdf5File::open(weights).root();
  read_when_built(saved, [=, place = weights.string()](SavedModel& built) {
    if (holds_keras_3_weights(file))
      read_keras_3_state(file, place, built);
    else
      read_legacy_weights(file, place, origin_of(file), *built.model);
  });
  return saved;
}

SavedModel load_by_ending(std::vector<std::byte> content, const std::string& name,
                          const fs::path& weights) {
  std::string ending = fs::path(name).extension().string();
  if (ending == ".keras") return load_archive(ZipReader(std::move(content), name), name);
  if (ending == ".h5" || ending == ".hdf5")
    return load_legacy(Hdf5File::parse(source_owning(std::move(content)), name), name);
  if (ending == ".json") return load_json(content, name, weights);
  throw Error("H101", {.message = fmt::format("'{}' is no model file by its name", name),
                       .help = "models are .keras, .h5, .hdf5 or .json files"});
}

// Errors about a layer name the layer; this adds the file.
template <class Load>
SavedModel naming_the_file(const std::string& name, Load load) {
  try {
    return load();
  } catch (const Error& error) {
    if (error.parts().place.find(name) != std::string::npos) throw;
    throw error.at(name).with_note("in the model file " + name);
  }
}

}  // namespace

SavedModel load_model_file(const fs::path& path, const fs::path& weights) {
  std::error_code failure;
  if (!fs::exists(path, failure))
    throw Error("H101",
                {.message = fmt::format("there is no file '{}'", path.string()),
                 .help = "zoo:NAME takes one of the built-in models; hornbeam zoo lists them"});
  const std::string name = path.string();
  return naming_the_file(name, [&] {
    // Of large files only what is wanted is read.
    if (path.extension() == ".keras" && fs::is_regular_file(path, failure))
      return load_archive(ZipReader(path), name);
    if (path.extension() == ".h5" || path.extension() == ".hdf5")
      return load_legacy(Hdf5File::open(path), name);
    return load_by_ending(read_file(path), name, weights);
  });
}

SavedModel load_model(std::vector<std::byte> content, const std::string& name) {
  return naming_the_file(name, [&] { return load_by_ending(std::move(content), name, {}); });
}

}  // namespace hornbeam
