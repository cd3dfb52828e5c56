#include <fmt/format.h>

#include <iostream>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/sample_data.h"
#include "cli/session.h"
#include "ir/text.h"
#include "keras/model_writer.h"
#include "nn/layer_order.h"

namespace hornbeam {
namespace {

std::string shape_text(const Shape& shape) {
  std::string text = "(None";
  for (int64_t axis = 1; axis < shape.rank(); ++axis) text += fmt::format(", {}", shape[axis]);
  return text + ")";
}

int64_t own_parameters(const std::shared_ptr<Layer>& layer) {
  if (auto model = std::dynamic_pointer_cast<Model>(layer)) return model->parameters();
  int64_t count = 0;
  for (auto& weight : layer->own_weights()) count += weight->shape.elements();
  return count;
}

struct Row {
  std::string layer, shape;
  int64_t parameters;
};

// Every layer call with its output; none of a model whose shapes are open.
std::vector<Row> rows_of(const Model& model) {
  std::vector<Row> rows;
  if (!model.built()) return rows;
  for (size_t number : keras_call_order(model)) {
    const LayerCall& call = model.calls[number];
    rows.push_back({fmt::format("{} ({})", call.layer->name, call.layer->class_name()),
                    shape_text(call.output_shapes[0]), own_parameters(call.layer)});
  }
  return rows;
}

void print_summary(Model& model, const SavedModel& saved) {
  std::cout << fmt::format("Model: \"{}\" ({})\n\n{:42} {:26} {:>12}\n", model.name,
                           model.class_name(), "Layer (type)", "Output shape", "Param #");
  for (const Row& row : rows_of(model))
    std::cout << fmt::format("{:42} {:26} {:>12}\n", row.layer, row.shape,
                             thousands(row.parameters));
  int64_t trained = 0;
  for (const ModelWeight& each : model.weights())
    if (each.trained) trained += each.weight->shape.elements();
  int64_t total = model.parameters();
  std::cout << fmt::format(
      "\nTotal params: {} ({})\nTrainable params: {}\nNon-trainable params: {}\n", thousands(total),
      bytes_text(static_cast<uint64_t>(total) * 4), thousands(trained), thousands(total - trained));
  if (saved.compile)
    std::cout << "Compiled with: " << json_text(compile_config_json(*saved.compile)) << "\n";
  if (saved.optimizer_problem)
    std::cout << "The optimizer cannot be used: " << saved.optimizer_problem->parts().message
              << "\n";
  if (saved.optimizer_state)
    std::cout << fmt::format("Optimizer state: after {} steps\n", saved.optimizer_state->iteration);
}

}  // namespace

int run_inspect(const Options& options) {
  SavedModel saved = load_model(options);
  Model& model = *saved.model;
  if (options.json) {
    std::cout << json_text(model_json(model)) << "\n";
    return 0;
  }
  if (!options.graph && !options.kernels) {
    print_summary(model, saved);
    return 0;
  }
  CompileConfig config = compile_for(options, saved, true);
  std::unique_ptr<Backend> backend = backend_for(options);
  Trainer trainer(model, config, *backend, trainer_options(options));
  const Executable& step = trainer.compile_training(data_like(model, config));
  if (options.kernels)
    for (const std::string& line : step.kernel_report()) std::cout << line << "\n";
  if (options.graph) std::cout << print(trainer.training_graph(data_like(model, config)));
  return 0;
}

}  // namespace hornbeam
