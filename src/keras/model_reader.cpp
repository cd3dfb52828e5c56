#include "keras/model_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "keras/legacy_names.h"
#include "keras/model_parts.h"
#include "nn/layers/basic.h"
#include "nn/masks.h"

namespace hornbeam {
namespace {

bool is_model_class(std::string_view name) {
  return name == "Sequential" || name == "Functional" || name == "Model";
}

bool is_input(const Layer& layer) { return dynamic_cast<const InputLayer*>(&layer) != nullptr; }

// The input that a Sequential model without an InputLayer has, with the shape if the file says it.
std::shared_ptr<InputLayer> input_for(const Json& config, const Json::Array& entries,
                                      const std::string& place) {
  auto input = std::make_shared<InputLayer>();
  input->name = "input_layer";
  const Json* first = entries.empty() ? nullptr : entries[0].find("config");
  const Json* shape = first == nullptr ? nullptr : first->find("batch_input_shape");
  if (shape == nullptr) shape = config.find("build_input_shape");
  if (shape == nullptr || shape->is_null()) return input;
  read_fields(*input, Json::object({{"name", "input_layer"}, {"batch_shape", *shape}}), place);
  return input;
}

std::shared_ptr<Model> read_sequential(const Json& config, const std::string& place,
                                       const Origin& origin) {
  auto model = std::make_shared<Model>();
  model->sequential = true;
  model->name = name_in(config, "sequential");
  const Json::Array& entries = (config.is_array() ? config : config.at("layers")).as_array();
  require_count(entries.size(), place);
  std::vector<std::shared_ptr<Layer>> layers;
  for (const Json& entry : entries) layers.push_back(read_layer(entry, place, origin));
  if (layers.empty() || !is_input(*layers[0]))
    layers.insert(layers.begin(), input_for(config, entries, place));
  for (size_t i = 0; i < layers.size(); ++i) {
    std::vector<TensorRef> inputs;
    if (i > 0) inputs.push_back({i - 1, 0});
    model->calls.push_back({layers[i], std::move(inputs)});
  }
  model->inputs = {{0, 0}};
  model->outputs = {{layers.size() - 1, 0}};
  return model;
}

void require_inputs_in_place(const Model& model, const std::string& place) {
  for (size_t i = 0; i < model.calls.size(); ++i) {
    const LayerCall& call = model.calls[i];
    bool listed = std::ranges::count(model.inputs, TensorRef{i, 0}) > 0;
    if (is_input(*call.layer) != listed || (listed && !call.inputs.empty()))
      broken_graph("the inputs of the model and its input layers are not the same",
                   place_of(place, *call.layer));
    if (!listed && call.inputs.empty())
      broken_graph("the layer has no input", place_of(place, *call.layer));
  }
}

size_t outputs_of(const Layer& layer) {
  auto model = dynamic_cast<const Model*>(&layer);
  return model == nullptr ? 1 : model->outputs.size();
}

void require_output(const Model& model, TensorRef ref, const std::string& place) {
  const Layer& layer = *model.calls[ref.call].layer;
  if (ref.output >= outputs_of(layer))
    broken_graph(
        fmt::format("the layer has {} and is asked for number {}",
                    counted(static_cast<int64_t>(outputs_of(layer)), "output"), ref.output),
        place_of(place, layer));
}

// Keras makes no layer of such a name, and writes none.
void require_a_name_of_keras(const Layer& layer, const std::string& place) {
  if (layer.name.find('/') == std::string::npos) return;
  throw Error("H111", {.message = fmt::format("the name '{}' holds a '/'", layer.name),
                       .place = place_of(place, layer),
                       .notes = {"Keras 3 refuses such names, so that a trained model could not "
                                 "go back"},
                       .help = "rename the layer in the version of Keras that made the file"});
}

void require_names(const Model& model, const std::string& place) {
  require_a_name_of_keras(model, place);
  for (const LayerCall& call : model.calls) require_a_name_of_keras(*call.layer, place);
  std::map<std::string_view, const Layer*> named;
  for (const LayerCall& call : model.calls) {
    auto [found, added] = named.emplace(call.layer->name, call.layer.get());
    if (!added && found->second != call.layer.get())
      broken_graph(fmt::format("two layers are named '{}'", call.layer->name), place);
  }
}

// Calls when nested models are written out, each as often as it is called. A nested model is met in
// one parent only, so that walking the distinct layers visits each once.
int64_t calls_written_out(const Model& model, const std::string& place) {
  std::map<const Layer*, int64_t> uses;
  for (const LayerCall& call : model.calls) ++uses[call.layer.get()];
  int64_t total = 0;
  for (const auto& [layer, count] : uses) {
    auto nested = dynamic_cast<const Model*>(layer);
    total += count * (nested == nullptr ? 1 : calls_written_out(*nested, place));
    require_count(static_cast<size_t>(total), place);
  }
  return total;
}

std::shared_ptr<Model> read_parts(const Json& json, const std::string& place,
                                  const Origin& origin) {
  ObjectForm form = object_form(json, "layer", place);
  if (!is_model_class(form.name)) {
    std::vector<std::string_view> known{"Sequential", "Functional"};
    refuse_name(form.name, "layer", place, known);
  }
  std::shared_ptr<Model> model = form.name == "Sequential"
                                     ? read_sequential(form.config, place, origin)
                                     : read_graph(form.config, place, origin);
  if (const Json* trainable = form.config.find("trainable"); trainable && trainable->is_bool())
    model->trainable = trainable->as_bool();
  if (form.config.is_object()) {  // Keras 1 and 2 wrote a list of layers
    Fields fields = Fields::reader(form.config, place);
    dtype_policy_field(fields, model->policy);
  }
  return model;
}

}  // namespace

void broken_graph(const std::string& message, const std::string& place) {
  throw Error("H113", {.message = message, .place = place});
}

void require_count(size_t calls, const std::string& place) {
  if (calls > static_cast<size_t>(most_layer_calls))
    broken_graph(fmt::format("the model has more than {} layer calls", most_layer_calls), place);
}

std::string name_in(const Json& config, std::string_view otherwise) {
  const Json* name = config.find("name");
  return name != nullptr && name->is_text() ? name->as_text() : std::string(otherwise);
}

std::string place_of(const std::string& model_place, const Layer& layer) {
  return fmt::format("{}/{} ({})", model_place, layer.name, layer.class_name());
}

std::shared_ptr<Layer> read_layer(const Json& entry, const std::string& place,
                                  const Origin& origin) {
  ObjectForm form = object_form(entry, "layer", place);
  if (is_model_class(form.name))
    return read_model(entry, place + "/" + name_in(form.config, form.name), origin);
  LayerForm modern = modern_layer({form.name, std::move(form.config)}, origin);
  const Json* name = entry.find("name");
  if (name != nullptr && modern.config.is_object() && modern.config.find("name") == nullptr)
    modern.config.set("name", *name);
  return make_layer(modern.class_name, modern.config, place);
}

std::shared_ptr<Model> read_model(const Json& json, const std::string& place,
                                  const Origin& origin) {
  try {
    std::shared_ptr<Model> model = read_parts(json, place, origin);
    calls_written_out(*model, place);
    require_names(*model, place);
    require_inputs_in_place(*model, place);
    for (const LayerCall& call : model->calls)
      for (TensorRef ref : call.inputs) require_output(*model, ref, place);
    for (TensorRef ref : model->outputs) require_output(*model, ref, place);
    masked_outputs(*model);  // refuses masks that a layer would use
    if (std::optional<std::vector<Shape>> shapes = model->declared_shapes())
      model->build_for(*shapes);
    return model;
  } catch (const Error& error) {
    throw error.at(place);
  }
}

}  // namespace hornbeam
