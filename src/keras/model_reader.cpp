#include "keras/model_reader.h"

#include <fmt/format.h>

#include <map>

#include "base/error.h"
#include "keras/legacy_names.h"
#include "nn/layers/basic.h"

namespace hornbeam {
namespace {

bool is_model_class(std::string_view name) {
  return name == "Sequential" || name == "Functional" || name == "Model";
}

[[noreturn]] void broken(const std::string& message, const std::string& place) {
  throw Error("H113", {.message = message, .place = place});
}

std::shared_ptr<Layer> read_layer(const Json& entry, const std::string& place) {
  ObjectForm form = object_form(entry, "layer", place);
  if (is_model_class(form.name)) return read_model(entry, place);
  LayerForm modern = modern_layer({form.name, form.config});
  const Json* name = entry.find("name");
  if (name != nullptr && modern.config.is_object() && modern.config.find("name") == nullptr)
    modern.config.set("name", *name);
  return make_layer(modern.class_name, modern.config, place);
}

std::string name_of_model(const Json& config, std::string_view otherwise) {
  const Json* name = config.find("name");
  return name != nullptr && name->is_text() ? name->as_text() : std::string(otherwise);
}

// --- Sequential ---

std::shared_ptr<InputLayer> input_for(const Json& config, const Json* first_layer,
                                      const std::string& place) {
  auto input = std::make_shared<InputLayer>();
  input->name = "input_layer";
  const Json* shape = first_layer == nullptr ? nullptr : first_layer->find("batch_input_shape");
  if (shape == nullptr) shape = config.find("build_input_shape");
  if (shape == nullptr || shape->is_null()) return input;
  read_fields(*input, Json::object({{"name", "input_layer"}, {"batch_shape", *shape}}), place);
  return input;
}

std::shared_ptr<Model> read_sequential(const Json& config, const std::string& place) {
  auto model = std::make_shared<Model>();
  model->sequential = true;
  model->name = name_of_model(config, "sequential");
  const Json::Array& entries = (config.is_array() ? config : config.at("layers")).as_array();
  const Json* first = entries.empty() ? nullptr : entries[0].find("config");
  std::vector<std::shared_ptr<Layer>> layers;
  for (const Json& entry : entries) layers.push_back(read_layer(entry, place));
  bool has_input = !layers.empty() && layers[0]->class_name() == "InputLayer";
  if (!has_input) layers.insert(layers.begin(), input_for(config, first, place));
  for (size_t i = 0; i < layers.size(); ++i) {
    std::vector<TensorRef> inputs;
    if (i > 0) inputs.push_back({i - 1, 0});
    model->calls.push_back({layers[i], std::move(inputs)});
  }
  model->inputs = {{0, 0}};
  model->outputs = {{layers.size() - 1, 0}};
  return model;
}

// --- graphs ---

// A tensor as a file refers to it: output `tensor` of call number `node` of a layer.
struct FileRef {
  std::string layer;
  int64_t node = 0;
  int64_t tensor = 0;
};

FileRef file_ref(const Json& triple, const std::string& place) {
  const Json::Array& parts = triple.as_array();
  if (parts.size() < 3) broken("a reference to a tensor is incomplete: " + json_text(triple), place);
  return {parts[0].as_text(), parts[1].as_integer(), parts[2].as_integer()};
}

bool is_leaf(const Json& json) {
  return json.is_array() && json.as_array().size() >= 3 && json.as_array()[0].is_text();
}

// Every reference in nested lists and objects, in order.
void collect_refs(const Json& json, const std::string& place, std::vector<FileRef>& refs) {
  if (is_leaf(json)) {
    refs.push_back(file_ref(json, place));
  } else if (json.is_array()) {
    for (const Json& item : json.as_array()) collect_refs(item, place, refs);
  } else if (json.is_object()) {
    if (const Json* name = json.find("class_name"); name && *name == Json("__keras_tensor__")) {
      refs.push_back(file_ref(json.at("config").at("keras_history"), place));
      return;
    }
    for (const auto& [key, item] : json.as_object()) collect_refs(item, place, refs);
  }
}

struct PendingCall {
  std::shared_ptr<Layer> layer;
  int64_t node = 0;
  std::vector<FileRef> inputs;
  bool done = false;
};

class GraphReader {
 public:
  GraphReader(const Json& config, std::string place) : config_(config), place_(std::move(place)) {}

  std::shared_ptr<Model> read() {
    model_ = std::make_shared<Model>();
    model_->name = name_of_model(config_, "functional");
    for (const Json& entry : config_.at("layers").as_array()) read_entry(entry);
    connect();
    for (const FileRef& ref : ends("input_layers")) model_->inputs.push_back(find(ref, true));
    for (const FileRef& ref : ends("output_layers")) model_->outputs.push_back(find(ref, true));
    return model_;
  }

 private:
  void read_entry(const Json& entry) {
    std::shared_ptr<Layer> layer = read_layer(entry, place_);
    if (const Json* name = entry.find("name")) layer->name = name->as_text();
    if (!layers_.emplace(layer->name, layer).second)
      broken(fmt::format("two layers are named '{}'", layer->name), place_);
    const Json* nodes = entry.find("inbound_nodes");
    int64_t number = 0;
    if (nodes != nullptr)
      for (const Json& node : nodes->as_array()) pending_.push_back(call_of(layer, number++, node));
    if (number == 0) pending_.push_back({layer, 0, {}});
  }

  PendingCall call_of(const std::shared_ptr<Layer>& layer, int64_t number, const Json& node) {
    PendingCall call{layer, number, {}};
    bool modern = node.is_object();
    legacy_ |= !modern;
    collect_refs(modern ? node.at("args") : node, place_ + "/" + layer->name, call.inputs);
    return call;
  }

  // Calls are made as soon as all their inputs exist.
  void connect() {
    bool progress = true;
    while (progress) {
      progress = false;
      for (PendingCall& call : pending_) progress |= !call.done && make(call);
    }
    for (const PendingCall& call : pending_)
      if (!call.done)
        broken("an input does not exist or the layers form a circle",
               fmt::format("{}/{} ({})", place_, call.layer->name, call.layer->class_name()));
  }

  bool make(PendingCall& call) {
    std::vector<TensorRef> inputs;
    for (const FileRef& ref : call.inputs) {
      auto found = calls_.find({ref.layer, node_number(ref, false)});
      if (found == calls_.end()) return false;
      inputs.push_back({found->second, static_cast<size_t>(ref.tensor)});
    }
    calls_[{call.layer->name, call.node}] = model_->calls.size();
    model_->calls.push_back({call.layer, std::move(inputs)});
    return call.done = true;
  }

  // A nested model counts its own making as call 0, everywhere in Keras 2 and at the ends of a graph
  // in Keras 3.
  int64_t node_number(const FileRef& ref, bool at_end) const {
    auto found = layers_.find(ref.layer);
    bool nested = found != layers_.end() && dynamic_cast<Model*>(found->second.get()) != nullptr;
    return nested && (legacy_ || at_end) && ref.node > 0 ? ref.node - 1 : ref.node;
  }

  TensorRef find(const FileRef& ref, bool at_end) const {
    auto found = calls_.find({ref.layer, node_number(ref, at_end)});
    if (found == calls_.end() || ref.tensor < 0)
      broken(fmt::format("there is no call {} of a layer '{}'", ref.node, ref.layer), place_);
    return {found->second, static_cast<size_t>(ref.tensor)};
  }

  std::vector<FileRef> ends(const char* key) {
    std::vector<FileRef> refs;
    collect_refs(config_.at(key), place_, refs);
    if (refs.empty()) broken(fmt::format("the graph has no {}", key), place_);
    return refs;
  }

  const Json& config_;
  std::string place_;
  std::shared_ptr<Model> model_;
  std::map<std::string, std::shared_ptr<Layer>> layers_;
  std::vector<PendingCall> pending_;
  std::map<std::pair<std::string, int64_t>, size_t> calls_;
  bool legacy_ = false;
};

void require_tensors(const Model& model, const std::string& place) {
  for (const LayerCall& call : model.calls)
    for (TensorRef ref : call.inputs)
      if (ref.output > 0 && dynamic_cast<Model*>(model.calls[ref.call].layer.get()) == nullptr)
        broken("a layer with one output is asked for another", place + "/" + call.layer->name);
}

}  // namespace

std::shared_ptr<Model> read_model(const Json& json, const std::string& place) {
  ObjectForm form = object_form(json, "layer", place);
  if (!is_model_class(form.name)) {
    std::vector<std::string_view> known{"Sequential", "Functional"};
    refuse_name(form.name, "layer", place, known);
  }
  std::string where = place.empty() ? name_of_model(form.config, "model") : place;
  std::shared_ptr<Model> model = form.name == "Sequential"
                                     ? read_sequential(form.config, where)
                                     : GraphReader(form.config, where).read();
  require_tensors(*model, where);
  if (std::optional<std::vector<Shape>> shapes = model->declared_shapes()) model->build_for(*shapes);
  return model;
}

std::optional<CompileConfig> read_compile_config(const Json& json, const std::string& place) {
  const Json* optimizer = json.find("optimizer");
  if (optimizer == nullptr) optimizer = json.find("optimizer_config");
  const Json* loss = json.find("loss");
  if (optimizer == nullptr || loss == nullptr || loss->is_null()) return std::nullopt;
  ObjectForm form = object_form(*optimizer, "optimizer", place);
  Json modern = Json::object(
      {{"class_name", form.name}, {"config", modern_optimizer_config(form.config)}});
  CompileConfig config{.optimizer = optimizer_by_name(modern, place + ", optimizer"), .loss = *loss};
  if (const Json* weights = json.find("loss_weights")) config.loss_weights = *weights;
  if (const Json* metrics = json.find("metrics")) config.metrics = *metrics;
  if (const Json* metrics = json.find("weighted_metrics")) config.weighted_metrics = *metrics;
  return config;
}

}  // namespace hornbeam
