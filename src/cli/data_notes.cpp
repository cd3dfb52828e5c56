#include "cli/data_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/session.h"
#include "nn/layers/basic.h"
#include "train/step.h"

namespace hornbeam {
namespace {

constexpr int64_t samples_looked_at = 1000;
constexpr double whole_span = 255, most_of_the_span = 230;

bool rescales(const Model& model) {
  return std::ranges::any_of(model.calls, [](const LayerCall& call) {
    auto nested = dynamic_cast<const Model*>(call.layer.get());
    return nested != nullptr ? rescales(*nested)
                             : dynamic_cast<const Rescaling*>(call.layer.get()) != nullptr;
  });
}

bool is_embedded(const Model& model, TensorRef input) {
  return std::ranges::any_of(model.calls, [&](const LayerCall& call) {
    return std::ranges::count(call.inputs, input) > 0 &&
           dynamic_cast<const Embedding*>(call.layer.get()) != nullptr;
  });
}

bool spans_bytes(const Tensor& samples) {
  Tensor numbers = samples.converted(DType::float32);
  auto [low, high] = std::ranges::minmax(std::as_const(numbers).values<float>());
  return low >= 0 && high <= whole_span && high - low >= most_of_the_span;
}

}  // namespace

void note_unscaled(const Options& options, const Dataset& data, const Model& model) {
  if (!options.transforms.empty() || rescales(model)) return;
  const Dataset first = rows(data, 0, std::min(data.samples(), samples_looked_at));
  for (size_t i = 0; i < first.inputs.size(); ++i) {
    if (is_embedded(model, model.inputs[i]) || !spans_bytes(first.inputs[i].tensor)) continue;
    note(options,
         "note: the inputs span 0 to 255 and nothing rescales them; "
         "--transform \"Rescaling(scale=1/255)\" does that");
    return;
  }
}

void note_odd_targets(const Options& options, const Dataset& data, const Model& model,
                      const CompileConfig& config) {
  std::vector<OutputObjective> objectives = objectives_of(model, config);
  auto targets = targets_of(objectives, data.targets.size());
  for (size_t i = 0; targets && i < objectives.size(); ++i) {
    if (!objectives[i].loss || !objectives[i].loss->takes_probabilities()) continue;
    Tensor numbers = data.targets[*(*targets)[i]].tensor.converted(DType::float64);
    std::span<double> values = numbers.values<double>();
    auto odd = std::ranges::find_if(values, [](double x) { return x < 0 || x > 1; });
    if (odd == values.end()) continue;
    note(options, fmt::format("note: {} takes targets from 0 to 1, and {} has {}; as in Keras, the "
                              "loss is computed all the same and may fall below 0",
                              objectives[i].loss->class_name(), data.name, number_text(*odd)));
  }
}

void note_fresh_weights(const Options& options) {
  note(options, fmt::format("note: {} holds no weights; fresh random ones are used (--seed {})",
                            options.model, options.seed));
}

void note_nothing_trained(const Options& options, Model& model) {
  std::vector<ModelWeight> weights = model.weights();
  if (std::ranges::any_of(weights, &ModelWeight::trained)) return;
  note(options, weights.empty()
                    ? "note: the model has no weights, so nothing is trained"
                    : "note: nothing is trained: all layers of the model are frozen (trainable is "
                      "false)");
}

void note_idle_replicas(const Options& options) {
  const int replicas = options.replicas.value_or(1);
  if (replicas <= options.batch) return;
  note(options, fmt::format("note: {} replicas share a batch of {}, so some have no samples",
                            replicas, options.batch));
}

}  // namespace hornbeam
