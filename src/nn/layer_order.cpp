#include "nn/layer_order.h"

#include <algorithm>
#include <map>

namespace hornbeam {
namespace {

class Walker {
 public:
  explicit Walker(const Model& model) : model_(model), visited_(model.calls.size()) {}

  std::vector<std::shared_ptr<Layer>> order() {
    for (TensorRef output : model_.outputs) visit(output.call);
    measure_depths();
    std::vector<std::shared_ptr<Layer>> layers = all_layers();
    std::ranges::stable_sort(layers, [&](const auto& a, const auto& b) {
      if (depth_[a.get()] != depth_[b.get()]) return depth_[a.get()] > depth_[b.get()];
      return met_[a.get()] < met_[b.get()];
    });
    return layers;
  }

 private:
  // Calls are appended behind the calls they depend on.
  void visit(size_t call) {
    if (visited_[call]) return;
    visited_[call] = true;
    Layer* layer = model_.calls[call].layer.get();
    met_.try_emplace(layer, static_cast<int64_t>(met_.size()));
    for (TensorRef input : model_.calls[call].inputs) visit(input.call);
    post_order_.push_back(call);
  }

  void measure_depths() {
    std::map<size_t, int64_t> call_depth;
    for (size_t i = post_order_.size(); i-- > 0;) {
      size_t call = post_order_[i];
      Layer* layer = model_.calls[call].layer.get();
      int64_t depth = std::max(call_depth[call], depth_[layer]);
      call_depth[call] = depth_[layer] = depth;
      for (TensorRef input : model_.calls[call].inputs)
        call_depth[input.call] = std::max(call_depth[input.call], depth + 1);
    }
  }

  // Inputs that no output depends on come with depth 0, before all others of it.
  std::vector<std::shared_ptr<Layer>> all_layers() {
    std::vector<std::shared_ptr<Layer>> layers;
    for (TensorRef input : model_.inputs) {
      Layer* layer = model_.calls[input.call].layer.get();
      if (!met_.contains(layer)) met_[layer] = -1;
    }
    for (const LayerCall& call : model_.calls)
      if (met_.contains(call.layer.get()) && !std::ranges::count(layers, call.layer))
        layers.push_back(call.layer);
    return layers;
  }

  const Model& model_;
  std::vector<bool> visited_;
  std::vector<size_t> post_order_;
  std::map<Layer*, int64_t> met_, depth_;
};

}  // namespace

std::vector<std::shared_ptr<Layer>> keras_layer_order(const Model& model) {
  return Walker(model).order();
}

}  // namespace hornbeam
