// Graphs of layers: class Functional, formerly Model.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "keras/model_parts.h"

namespace hornbeam {
namespace {

// A tensor as a file refers to it: output `tensor` of call number `node` of a layer.
struct FileRef {
  std::string layer;
  int64_t node = 0;
  int64_t tensor = 0;
};
using CallName = std::pair<std::string, int64_t>;  // a layer and the number of its call

FileRef file_ref(const Json& triple, const std::string& place) {
  const Json::Array& parts = triple.as_array();
  if (parts.size() < 3)
    broken_graph("a reference to a tensor is incomplete: " + json_text(triple), place);
  FileRef ref{parts[0].as_text(), parts[1].as_integer(), parts[2].as_integer()};
  if (ref.node < 0 || ref.tensor < 0)
    broken_graph("a reference to a tensor is negative: " + json_text(triple), place);
  return ref;
}

bool is_leaf(const Json& json) {
  return json.is_array() && !json.as_array().empty() && json.as_array()[0].is_text();
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

// The same lists and objects with the number of each reference in its place.
Json numbered(const Json& json, int64_t& next) {
  if (is_leaf(json)) return next++;
  if (json.is_array()) {
    Json::Array all;
    for (const Json& item : json.as_array()) all.push_back(numbered(item, next));
    return all;
  }
  Json all = Json::object({});
  for (const auto& [key, item] : json.as_object()) all.set(key, numbered(item, next));
  return all;
}

struct PendingCall {
  std::shared_ptr<Layer> layer;
  int64_t node = 0;
  std::vector<FileRef> inputs;
  size_t missing = 0;         // inputs that do not exist yet
  std::vector<size_t> users;  // pending calls that wait for this one
};

class GraphReader {
 public:
  GraphReader(const Json& config, const std::string& place, const Origin& origin)
      : config_(config), place_(place), origin_(origin) {}

  std::shared_ptr<Model> read() {
    model_ = std::make_shared<Model>();
    model_->name = name_in(config_, "functional");
    const Json::Array& entries = config_.at("layers").as_array();
    require_count(entries.size(), place_);
    for (const Json& entry : entries) read_entry(entry);
    std::vector<FileRef> inputs = ends("input_layers"), outputs = ends("output_layers");
    for (const PendingCall& call : pending_) note_first_nodes(call.inputs);
    note_first_nodes(outputs);
    connect();
    for (const FileRef& ref : inputs) model_->inputs.push_back(end(ref));
    for (const FileRef& ref : outputs) model_->outputs.push_back(end(ref));
    int64_t first_input = 0, first_output = 0;
    model_->input_structure = numbered(config_.at("input_layers"), first_input);
    model_->output_structure = numbered(config_.at("output_layers"), first_output);
    return model_;
  }

 private:
  void read_entry(const Json& entry) {
    std::shared_ptr<Layer> layer = read_layer(entry, place_, origin_);
    if (const Json* name = entry.find("name")) layer->name = name->as_text();
    if (!layers_.emplace(layer->name, layer).second)
      broken_graph(fmt::format("two layers are named '{}'", layer->name), place_);
    const Json* nodes = entry.find("inbound_nodes");
    if (nodes == nullptr || nodes->as_array().empty()) return add({layer, 0, {}});
    int64_t number = 0;
    for (const Json& node : nodes->as_array()) add(call_of(layer, number++, node));
  }

  void add(PendingCall call) {
    require_count(pending_.size() + 1, place_);
    number_of_[{call.layer->name, call.node}] = pending_.size();
    pending_.push_back(std::move(call));
  }

  PendingCall call_of(const std::shared_ptr<Layer>& layer, int64_t number, const Json& node) {
    PendingCall call{layer, number, {}};
    bool modern = node.is_object();
    legacy_ |= !modern;
    collect_refs(modern ? node.at("args") : node, place_of(place_, *layer), call.inputs);
    return call;
  }

  void note_first_nodes(const std::vector<FileRef>& refs) {
    for (const FileRef& ref : refs) {
      auto [found, added] = first_node_.emplace(ref.layer, ref.node);
      if (!added) found->second = std::min(found->second, ref.node);
    }
  }

  // Calls are made as soon as all their inputs exist, in the order of the file among those that can
  // be made.
  void connect() {
    std::deque<size_t> ready;
    for (size_t i = 0; i < pending_.size(); ++i) {
      for (const FileRef& ref : pending_[i].inputs)
        pending_[pending_call(ref, pending_[i])].users.push_back(i);
      pending_[i].missing = pending_[i].inputs.size();
      if (pending_[i].missing == 0) ready.push_back(i);
    }
    for (; !ready.empty(); ready.pop_front()) {
      make(ready.front());
      for (size_t user : pending_[ready.front()].users)
        if (--pending_[user].missing == 0) ready.push_back(user);
    }
    for (const PendingCall& call : pending_)
      if (call.missing > 0) broken_graph("the layers form a circle", place_of(place_, *call.layer));
  }

  size_t pending_call(const FileRef& ref, const PendingCall& user) const {
    auto found = number_of_.find({ref.layer, node_number(ref, false)});
    if (found == number_of_.end())
      broken_graph(fmt::format("there is no call {} of a layer '{}'", ref.node, ref.layer),
                   place_of(place_, *user.layer));
    return found->second;
  }

  void make(size_t number) {
    const PendingCall& call = pending_[number];
    std::vector<TensorRef> inputs;
    for (const FileRef& ref : call.inputs)
      inputs.push_back({made_[pending_call(ref, call)], static_cast<size_t>(ref.tensor)});
    made_[number] = model_->calls.size();
    model_->calls.push_back({call.layer, std::move(inputs)});
  }

  // Nested models that were made from an input count that as call 0: in Keras 2 everywhere, so that
  // the first call referred to is 1; in Keras 3 graphs do at the ends of the graph around them.
  int64_t node_number(const FileRef& ref, bool at_end) const {
    auto found = layers_.find(ref.layer);
    auto nested = found == layers_.end() ? nullptr : dynamic_cast<Model*>(found->second.get());
    if (nested == nullptr || ref.node == 0) return ref.node;
    bool counts_making = legacy_ ? first_node_.contains(ref.layer) && first_node_.at(ref.layer) > 0
                                 : at_end && !nested->sequential;
    return ref.node - (counts_making ? 1 : 0);
  }

  std::vector<FileRef> ends(const char* key) const {
    std::vector<FileRef> refs;
    collect_refs(config_.at(key), place_, refs);
    if (refs.empty()) broken_graph(fmt::format("the graph has no {}", key), place_);
    return refs;
  }

  TensorRef end(const FileRef& ref) const {
    auto found = number_of_.find({ref.layer, node_number(ref, true)});
    if (found == number_of_.end())
      broken_graph(fmt::format("the graph ends at call {} of a layer '{}', which does not exist",
                               ref.node, ref.layer),
                   place_);
    return {made_.at(found->second), static_cast<size_t>(ref.tensor)};
  }

  const Json& config_;
  const std::string& place_;
  const Origin& origin_;
  std::shared_ptr<Model> model_;
  std::map<std::string, std::shared_ptr<Layer>> layers_;
  std::vector<PendingCall> pending_;
  std::map<CallName, size_t> number_of_;  // in pending_
  std::map<size_t, size_t> made_;         // numbers in pending_ to numbers in the model's calls
  std::map<std::string, int64_t> first_node_;  // the lowest number of a call that is referred to
  bool legacy_ = false;                        // nodes are lists, as Keras 2 wrote them
};

}  // namespace

std::shared_ptr<Model> read_graph(const Json& config, const std::string& place,
                                  const Origin& origin) {
  return GraphReader(config, place, origin).read();
}

}  // namespace hornbeam
