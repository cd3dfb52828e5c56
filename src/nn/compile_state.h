// What a model is trained with, and how far its optimizer has come: the parts of a model file
// besides layers and weights.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/tensor_source.h"
#include "nn/model.h"
#include "nn/optimizer.h"

namespace hornbeam {

struct CompileConfig {
  OptimizerPointer optimizer;  // may be missing where nothing is trained
  Json loss;                   // a name or object, or one for each output
  Json loss_weights;           // null, or one number for each output
  Json metrics;                // a list of names or objects, or one list for each output
  Json weighted_metrics;       // the same, for those that count samples by their weights
};

struct OptimizerState {
  int64_t iteration = 0;                   // steps done
  double learning_rate = 0.001;            // the present one
  std::vector<std::vector<Tensor>> slots;  // for each trained weight, in the model's order
};

// Zeros for every slot of every trained weight.
OptimizerState fresh_state(const Optimizer& optimizer, Model& model);

// The same numbers as they are saved: read in parts where they lie, which may be a device.
struct OptimizerSources {
  int64_t iteration = 0;
  double learning_rate = 0.001;
  std::vector<std::vector<TensorSource>> slots;
};
struct StateSources {
  std::map<const Weight*, TensorSource> weights;
  std::optional<OptimizerSources> optimizer;
};
// Of a model and, where there is one, its optimizer; both must outlive the sources.
StateSources sources_of(Model& model, const OptimizerState* optimizer = nullptr);

// A model as a file holds it.
struct SavedModel {
  std::shared_ptr<Model> model;
  std::optional<CompileConfig> compile;
  std::optional<OptimizerState> optimizer_state;
  // Why the optimizer of the file cannot be used. It is no fault until the model is to be trained
  // with it: then this is to be thrown.
  std::optional<Error> optimizer_problem;
  std::vector<std::string> notes;  // what was left out of the file, and why
  // Weights and optimizer state have places only in built layers. Set when the file leaves the
  // shapes of inputs open: to be called once the model is built.
  std::function<void(SavedModel&)> read_state = {};
};

}  // namespace hornbeam
