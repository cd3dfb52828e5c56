// The steps of a model as graphs: training, evaluation, prediction. State goes in and comes out.
//
// A step is traced for one slice of the batch; the data_parallel pass makes R slices of it. Inputs:
//   state      "weight/PATH", and for training "slot/PATH/NAME", "iteration" (int64)
//   parameter  "valid" (int32: real samples in the whole batch), "learning_rate" (float32),
//              "seed" (int64)
//   batch      "input/NUMBER", "target/NUMBER", "sample_weight" (float32)
// Results are means over the real samples of the batch, one for each log; what counts otherwise
// than by samples has its count beside it, "NAME/count". Predictions are outputs of role batch,
// "prediction/NUMBER".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "nn/compile_state.h"
#include "nn/loss.h"
#include "nn/metric.h"

namespace hornbeam {

inline constexpr std::string_view count_suffix = "/count";

// The batch a step is traced for. Types are those of one sample as it is stored.
struct StepShape {
  int64_t batch = 0;  // samples in the whole batch, a multiple of replicas
  int replicas = 1;
  Types inputs, targets;
  bool sample_weight = false;
};

// What is common to the steps of one model.
struct StepSource {
  Model& model;
  std::vector<std::shared_ptr<Layer>> transforms;  // applied to every input, in order
};

struct OutputObjective {
  LossPointer loss;  // may be missing: such an output is not trained, only measured
  double weight = 1;
  std::vector<Json> metrics;
  std::vector<Json> weighted_metrics;  // count samples by their weights
};

Graph training_step(const StepSource& source, const std::vector<OutputObjective>& objectives,
                    const Optimizer& optimizer, const StepShape& shape);
Graph evaluation_step(const StepSource& source, const std::vector<OutputObjective>& objectives,
                      const StepShape& shape);
Graph prediction_step(const StepSource& source, const StepShape& shape);

// The number of each output's target among `count` ones: every output has one, or only those with
// a loss have. Nothing for another count.
std::optional<std::vector<std::optional<size_t>>> targets_of(
    const std::vector<OutputObjective>& objectives, size_t count);

// The loss and metrics of every output, from a configuration; H111, H115.
std::vector<OutputObjective> objectives_of(const Model& model, const CompileConfig& config);

}  // namespace hornbeam
