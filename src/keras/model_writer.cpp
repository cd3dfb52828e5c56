#include "keras/model_writer.h"

#include <map>

#include "nn/layers/basic.h"
#include "nn/loss.h"
#include "nn/metric.h"

namespace hornbeam {
namespace {

// Calls of each layer are numbered from 0 in the order in which they stand.
class GraphWriter {
 public:
  explicit GraphWriter(const Model& model) : model_(model) {
    std::map<const Layer*, int64_t> counts;
    for (const LayerCall& call : model.calls) numbers_.push_back(counts[call.layer.get()]++);
  }

  Json config() const {
    Json::Array layers;
    for (const std::shared_ptr<Layer>& layer : model_.layers()) layers.push_back(entry(layer));
    return Json::object({{"name", model_.name},
                         {"trainable", model_.trainable},
                         {"layers", std::move(layers)},
                         {"input_layers", ends(model_.inputs, model_.input_structure)},
                         {"output_layers", ends(model_.outputs, model_.output_structure)}});
  }

 private:
  static bool nested(const Layer& layer) { return dynamic_cast<const Model*>(&layer) != nullptr; }

  Json entry(const std::shared_ptr<Layer>& layer) const {
    Json json = nested(*layer) ? model_json(dynamic_cast<const Model&>(*layer))
                               : object_json(*layer, "keras.layers");
    json.set("name", layer->name);
    Json::Array nodes;
    for (const LayerCall& call : model_.calls)
      if (call.layer == layer && !call.inputs.empty()) nodes.push_back(node(call));
    json.set("inbound_nodes", std::move(nodes));
    return json;
  }

  const Layer& layer_of(TensorRef ref) const { return *model_.calls[ref.call].layer; }

  Json history(TensorRef ref, int64_t offset) const {
    const Layer& layer = layer_of(ref);
    int64_t number = numbers_[ref.call] + (nested(layer) ? offset : 0);
    return Json::Array{layer.name, number, static_cast<int64_t>(ref.output)};
  }

  // Keras asks for the shape of every tensor; a model that is not built yet has none to give.
  Json batch_shape(TensorRef ref) const {
    const std::vector<Shape>& shapes = model_.calls[ref.call].output_shapes;
    if (ref.output >= shapes.size()) return nullptr;
    Json::Array extents{nullptr};
    for (int64_t axis = 1; axis < shapes[ref.output].rank(); ++axis)
      extents.push_back(shapes[ref.output][axis]);
    return extents;
  }

  Json tensor(TensorRef ref) const {
    return Json::object({{"class_name", "__keras_tensor__"},
                         {"config", Json::object({{"shape", batch_shape(ref)},
                                                  {"dtype", name_of(layer_of(ref).policy.compute)},
                                                  {"keras_history", history(ref, 0)}})}});
  }

  Json node(const LayerCall& call) const {
    Json::Array tensors;
    for (TensorRef ref : call.inputs) tensors.push_back(tensor(ref));
    Json::Array arguments;
    if (tensors.size() == 1)
      arguments.push_back(tensors[0]);
    else
      arguments.push_back(Json(std::move(tensors)));
    return Json::object({{"args", std::move(arguments)}, {"kwargs", Json::object({})}});
  }

  // At the ends of a graph a nested model counts its own making as call 0. They are nested as they
  // were read: Keras before 3.4 cannot read a single one that stands bare, later ones warn at every
  // call of a model that was made with a bare one when it stands in a list.
  Json ends(const std::vector<TensorRef>& refs, const Json& structure) const {
    if (structure.is_integer())
      return history(refs[static_cast<size_t>(structure.as_integer())], 1);
    if (structure.is_object()) {
      Json all = Json::object({});
      for (const auto& [key, item] : structure.as_object()) all.set(key, ends(refs, item));
      return all;
    }
    Json::Array all;
    if (structure.is_null())
      for (TensorRef ref : refs) all.push_back(history(ref, 1));
    else
      for (const Json& item : structure.as_array()) all.push_back(ends(refs, item));
    return all;
  }

  const Model& model_;
  std::vector<int64_t> numbers_;
};

Json sequential_config(const Model& model) {
  Json::Array layers;
  for (const LayerCall& call : model.calls) {
    if (auto input = dynamic_cast<const InputLayer*>(call.layer.get()); input && !input->shape)
      continue;
    auto inner = dynamic_cast<const Model*>(call.layer.get());
    layers.push_back(inner ? model_json(*inner) : object_json(*call.layer, "keras.layers"));
  }
  return Json::object({{"name", model.name},
                       {"trainable", model.trainable},
                       {"dtype", model.policy.name},
                       {"layers", std::move(layers)}});
}

// Objects as Keras 3 writes them, in whatever form they were given; names stay names.
template <class T>
Json as_written(const ObjectTable<T>& table, const Json& form) {
  if (form.is_array()) {
    Json::Array all;
    for (const Json& each : form.as_array()) all.push_back(as_written(table, each));
    return all;
  }
  if (!form.is_object()) return form;
  if (form.find("class_name"))
    return object_json(*read_object(table, form, "compile_config"), table.module);
  Json by_output;
  for (const auto& [key, value] : form.as_object()) by_output.set(key, as_written(table, value));
  return by_output;
}

}  // namespace

Json model_json(const Model& model) {
  if (model.sequential)
    return Json::object({{"module", "keras"},
                         {"class_name", "Sequential"},
                         {"config", sequential_config(model)},
                         {"registered_name", nullptr}});
  return Json::object({{"module", "keras.src.models.functional"},
                       {"class_name", "Functional"},
                       {"config", GraphWriter(model).config()},
                       {"registered_name", "Functional"}});
}

Json compile_config_json(const CompileConfig& config) {
  Json optimizer;
  if (config.optimizer) optimizer = object_json(*config.optimizer, optimizers().module);
  return Json::object({{"optimizer", std::move(optimizer)},
                       {"loss", as_written(losses(), config.loss)},
                       {"loss_weights", config.loss_weights},
                       {"metrics", as_written(metrics(), config.metrics)},
                       {"weighted_metrics", as_written(metrics(), config.weighted_metrics)},
                       {"run_eagerly", false},
                       {"steps_per_execution", 1},
                       {"jit_compile", "auto"}});
}

}  // namespace hornbeam
