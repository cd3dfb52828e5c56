#include "nn/layer_order.h"

#include <algorithm>
#include <map>
#include <set>

namespace hornbeam {
namespace {

class Walker {
 public:
  explicit Walker(const Model& model)
      : model_(model), visited_(model.calls.size()), call_depth_(model.calls.size(), unmet) {
    for (TensorRef output : model_.outputs) visit(output.call);
    measure_depths();
  }

  std::vector<std::shared_ptr<Layer>> layers() {
    std::vector<std::shared_ptr<Layer>> layers = all_layers();
    std::ranges::stable_sort(layers, [&](const auto& a, const auto& b) {
      if (depth_[a.get()] != depth_[b.get()]) return depth_[a.get()] > depth_[b.get()];
      return met_[a.get()] < met_[b.get()];
    });
    return layers;
  }

  std::vector<size_t> calls() {
    std::ranges::stable_sort(calls_met_,
                             [&](size_t a, size_t b) { return call_depth_[a] > call_depth_[b]; });
    return calls_met_;
  }

 private:
  static constexpr int64_t unmet = -1;

  struct Step {
    size_t call;
    size_t next_input = 0;
  };

  void meet(size_t call, std::vector<Step>& path) {
    if (visited_[call]) return;
    visited_[call] = true;
    met_.try_emplace(model_.calls[call].layer.get(), static_cast<int64_t>(met_.size()));
    path.push_back({call});
  }

  // Calls are appended behind the calls they depend on. Graphs from files can be deep, so the way
  // back is a list and no recursion.
  void visit(size_t output) {
    std::vector<Step> path;
    meet(output, path);
    while (!path.empty()) {
      Step& step = path.back();
      const std::vector<TensorRef>& inputs = model_.calls[step.call].inputs;
      if (step.next_input < inputs.size()) {
        meet(inputs[step.next_input++].call, path);
      } else {
        post_order_.push_back(step.call);
        path.pop_back();
      }
    }
  }

  void deepen(size_t call, int64_t depth) {
    if (call_depth_[call] == unmet) calls_met_.push_back(call);
    call_depth_[call] = std::max(call_depth_[call], depth);
  }

  void measure_depths() {
    for (size_t i = post_order_.size(); i-- > 0;) {
      size_t call = post_order_[i];
      Layer* layer = model_.calls[call].layer.get();
      deepen(call, depth_[layer]);
      int64_t depth = depth_[layer] = call_depth_[call];
      for (TensorRef input : model_.calls[call].inputs) deepen(input.call, depth + 1);
    }
  }

  // Inputs that no output depends on come with depth 0, before all others of it.
  std::vector<std::shared_ptr<Layer>> all_layers() {
    for (TensorRef input : model_.inputs)
      met_.try_emplace(model_.calls[input.call].layer.get(), -1);
    std::vector<std::shared_ptr<Layer>> layers;
    std::set<Layer*> listed;
    for (const LayerCall& call : model_.calls)
      if (met_.contains(call.layer.get()) && listed.insert(call.layer.get()).second)
        layers.push_back(call.layer);
    return layers;
  }

  const Model& model_;
  std::vector<bool> visited_;
  std::vector<size_t> post_order_, calls_met_;
  std::vector<int64_t> call_depth_;
  std::map<Layer*, int64_t> met_, depth_;
};

}  // namespace

std::vector<std::shared_ptr<Layer>> keras_layer_order(const Model& model) {
  return Walker(model).layers();
}

std::vector<size_t> keras_call_order(const Model& model) { return Walker(model).calls(); }

}  // namespace hornbeam
