#include "cli/session.h"

#include <fmt/format.h>

#include <cstdlib>
#include <iostream>

#include "backends/backends.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"
#include "base/threads.h"
#include "cli/download_line.h"
#include "cli/function_form.h"
#include "cli/report.h"
#include "cli/usage.h"
#include "data/known.h"
#include "data/made.h"
#include "data/readers.h"
#include "keras/load.h"
#include "nn/layers/basic.h"
#include "nn/zoo.h"
#include "train/step.h"

namespace hornbeam {
namespace {

constexpr std::string_view zoo_prefix = "zoo:";

const Layer& last_layer(const Model& model) { return *model.calls[model.outputs[0].call].layer; }

std::string last_activation(const Model& model) {
  const Layer& layer = last_layer(model);
  if (auto dense = dynamic_cast<const Dense*>(&layer)) return dense->activation.name();
  if (auto activation = dynamic_cast<const ActivationLayer*>(&layer))
    return activation->activation.name();
  return layer.class_name() == "Softmax" ? "softmax" : "";
}

// Softmax: cross-entropy over classes; sigmoid: binary cross-entropy; else the squared error.
Json loss_from_last_layer(const Model& model) {
  std::string activation = last_activation(model);
  if (activation == "softmax") return "categorical_crossentropy";
  return activation == "sigmoid" ? "binary_crossentropy" : "mean_squared_error";
}

Json metrics_from_loss(const Json& loss) {
  bool classes = loss.is_text() && loss.as_text().find("crossentropy") != std::string::npos;
  return classes ? Json(Json::Array{"accuracy"}) : Json(Json::Array{});
}

constexpr std::string_view made_prefix = "made:";

std::filesystem::path cache_folder() {
  if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder != nullptr && *folder != 0)
    return std::filesystem::path(folder) / "hornbeam";
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home == nullptr ? "." : home) / ".cache" / "hornbeam";
}

DataPlaces places_for(const Options& options) {
  DataPlaces places{.cache = cache_folder()};
  if (!options.data_folder.empty()) places.folders.push_back(options.data_folder);
  if (!options.quiet) places.progress = download_line();
  return places;
}

std::string chosen_text(const Json& value) {
  return value.is_text() ? value.as_text() : json_text(value);
}

Json loss_given(const Options& options) {
  Json form = parse_function_form(options.loss, "--loss");
  as_value_of(
      "--loss", [&] { return loss_by_name(form, "--loss"); },
      [&] { return names_help(losses(), form); });
  return form;
}

// Shapes only choose among the accuracies; here names and keys are what counts.
Json metrics_given(const Options& options) {
  const Shape any{1, 2};
  Json::Array all;
  for (const std::string& metric : options.metrics) {
    Json form = parse_function_form(metric, "--metrics");
    as_value_of(
        "--metrics", [&] { return metric_by_name(form, any, any, "--metrics"); },
        [&] { return names_help(metrics(), form, {"accuracy"}); });
    all.push_back(std::move(form));
  }
  return all;
}

OptimizerPointer optimizer_given(const Options& options) {
  Json form = parse_function_form(options.optimizer, "--optimizer");
  return as_value_of(
      "--optimizer", [&] { return optimizer_by_name(form, "--optimizer"); },
      [&] { return names_help(optimizers(), form); });
}

std::shared_ptr<Layer> transform_given(const std::string& text) {
  Json form = parse_function_form(text, "--transform");
  ObjectForm object = object_form(form, "layer", "--transform");
  std::shared_ptr<Layer> layer = as_value_of(
      "--transform", [&] { return make_layer(object.name, object.config, "--transform"); },
      [] { return "transforms are Keras' preprocessing layers, as \"Rescaling(scale=1/255)\""; });
  // Keras has no default for it, and a scale of 1 is never what was meant.
  if (layer->class_name() == "Rescaling" && object.config.find("scale") == nullptr)
    throw Error("H302", {.message = "Rescaling needs a scale",
                         .place = "--transform",
                         .help = "write it as \"Rescaling(scale=1/255)\""});
  layer->name = "transform";
  return layer;
}

// "made:", then the data set whose shapes it has (there is one), then the part.
Dataset made_data(std::string_view text) {
  std::string_view part = text.substr(made_prefix.size());
  for (std::string_view known : {"cifar10:", "cifar10"})
    if (part.starts_with(known)) {
      part.remove_prefix(known.size());
      break;
    }
  if (part == "" || part == "train") return made_images(5000, 10, 0);
  if (part == "test") return made_images(1000, 10, 1);
  throw Error("H302", {.message = fmt::format("there is no made data '{}'", text),
                       .place = "--data",
                       .help = "made:cifar10 and made:cifar10:test are computed, in the shape of "
                               "CIFAR-10"});
}

// Keras compiles with rmsprop where nothing else is said, so that is what a compiled file means.
OptimizerPointer default_optimizer(const Options& options, const SavedModel& saved) {
  const char* name = saved.compile ? "rmsprop" : "adam";
  note(options, fmt::format("note: optimizer {} with Keras' settings{}", name,
                            saved.compile ? ", because the file is compiled and names none" : ""));
  return optimizer_by_name(name, "--optimizer");
}

}  // namespace

void note(const Options& options, const std::string& text) {
  if (!options.quiet) std::cerr << printable(text) << "\n";
}

std::shared_ptr<Model> built_in_model(std::string_view name) {
  return as_value_of(
      fmt::format("zoo:{}", name), [&] { return zoo_model(name); },
      [] { return "hornbeam zoo lists the built-in models"; });
}

namespace {

SavedModel model_as_stored(const Options& options) {
  std::string ending = std::filesystem::path(options.model).extension().string();
  if (!options.weights.empty() && ending != ".json")
    throw Error("H304", {.message = "'" + options.model + "' takes no weights from another file",
                         .place = "--weights",
                         .help = "--weights belongs to a .json architecture"});
  if (options.model.starts_with(zoo_prefix))
    return {.model = built_in_model(std::string_view(options.model).substr(zoo_prefix.size()))};
  return load_model_file(options.model, options.weights);
}

}  // namespace

SavedModel load_model(const Options& options) {
  SavedModel saved = model_as_stored(options);
  saved.model->set_dtype_policy(*find_dtype_policy(options.policy));
  return saved;
}

void note_left_out(const Options& options, const SavedModel& saved) {
  for (const std::string& left_out : saved.notes) note(options, "note: " + left_out);
}

int threads_for(const Options& options) {
  return options.threads ? *options.threads : available_cores();
}

std::unique_ptr<Backend> backend_for(const Options& options) {
  return make_backend(options.device, {.threads = threads_for(options),
                                       .isa = options.isa,
                                       .replicas = options.replicas,
                                       .plugin_options = options.plugin_options,
                                       .program_cache = cache_folder() / "programs"});
}

Dataset load_data(const Options& options, const std::string& text, const Model& model) {
  if (text.empty())
    throw Error("H301", {.message = "no data is given",
                         .help = "--data takes a path or a known name such as cifar10"});
  Dataset data;
  if (text.starts_with(made_prefix)) {
    data = made_data(text);
  } else {
    DataRequest request = parse_data_request(text);
    request.targets = options.targets;
    for (size_t i = 0; i < model.inputs.size(); ++i)
      request.input_names.push_back(model.input_name(i));
    for (size_t i = 0; i < model.outputs.size(); ++i)
      request.output_names.push_back(model.output_name(i));
    data = load_dataset(request, places_for(options));
  }
  if (options.label_offset != 0) data = with_label_offset(std::move(data), options.label_offset);
  if (options.limit) data = limit(std::move(data), *options.limit);
  check_dataset(data);
  return data;
}

CompileConfig compile_for(const Options& options, const SavedModel& saved, bool training) {
  CompileConfig config;
  if (saved.compile) config = *saved.compile;
  if (!options.loss.empty()) config.loss = loss_given(options);
  if (!options.metrics.empty()) config.metrics = metrics_given(options);
  if (!options.optimizer.empty()) config.optimizer = optimizer_given(options);
  if (config.loss.is_null()) {
    config.loss = loss_from_last_layer(*saved.model);
    note(options, "note: loss " + chosen_text(config.loss) + ", after the last layer");
  }
  if (!saved.compile && options.metrics.empty()) config.metrics = metrics_from_loss(config.loss);
  if (training && config.optimizer == nullptr) {
    if (saved.optimizer_problem)
      throw saved.optimizer_problem->with_note(
          "the model was compiled with this optimizer; "
          "--optimizer gives another");
    config.optimizer = default_optimizer(options, saved);
  }
  return config;
}

int64_t memory_limit(const Options& options, const Backend& backend) {
  if (options.memory.empty() && backend.own_memory()) return *backend.own_memory();
  uint64_t bytes = options.memory.empty() ? free_memory() : parse_bytes(options.memory, "--memory");
  return static_cast<int64_t>(std::min(bytes, static_cast<uint64_t>(INT64_MAX)));
}

std::vector<std::shared_ptr<Layer>> transforms_for(const Options& options) {
  std::vector<std::shared_ptr<Layer>> transforms;
  for (const std::string& text : options.transforms) transforms.push_back(transform_given(text));
  return transforms;
}

namespace {

MatmulPrecision matmul_precision(const std::string& name) {
  if (name == "highest") return MatmulPrecision::highest;
  if (name == "high") return MatmulPrecision::high;
  if (name == "default") return MatmulPrecision::standard;
  throw Error("H302", {.message = "there is no precision '" + name + "'",
                       .place = "--matmul-precision",
                       .help = "it takes highest, high or default"});
}

}  // namespace

int replicas_for(const Options& options, const Backend& backend) {
  return options.replicas.value_or(backend.devices());
}

TrainerOptions trainer_options(const Options& options, const Backend& backend) {
  return {.batch = options.batch,
          .replicas = replicas_for(options, backend),
          .seed = options.seed,
          .transforms = transforms_for(options),
          .disabled_passes = options.disabled_passes,
          .matmul_precision = matmul_precision(options.matmul_precision),
          .memory_limit = memory_limit(options, backend)};
}

bool complete_model(SavedModel& saved, const Dataset& data, uint64_t seed) {
  Model& model = *saved.model;
  if (!model.built()) {
    std::vector<Shape> shapes;
    for (const NamedTensor& input : data.inputs) {
      Shape shape = input.tensor.shape();
      shape[0] = 1;
      shapes.push_back(shape);
    }
    model.build_for(shapes);
    if (saved.read_state) saved.read_state(saved);
  }
  return model.initialize(seed) > 0;
}

}  // namespace hornbeam
