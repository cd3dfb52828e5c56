#include <fmt/format.h>

#include <iostream>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/compile_text.h"
#include "cli/kernel_table.h"
#include "cli/pass_report.h"
#include "cli/report.h"
#include "cli/sample_data.h"
#include "cli/session.h"
#include "compile/lower.h"
#include "ir/text.h"
#include "keras/model_writer.h"
#include "nn/layer_order.h"
#include "stablehlo/print.h"

namespace hornbeam {
namespace {

std::string shape_text(const Shape& shape) {
  std::string text = "(None";
  for (int64_t axis = 1; axis < shape.rank(); ++axis) text += fmt::format(", {}", shape[axis]);
  return text + ")";
}

// Behind the columns, for a layer whose dtype policy is not the usual one.
std::string policy_text(const Layer& layer) {
  return layer.policy == float32_policy ? "" : fmt::format("  {}", layer.policy.name);
}

int64_t own_parameters(const std::shared_ptr<Layer>& layer) {
  if (auto model = std::dynamic_pointer_cast<Model>(layer)) return model->parameters();
  int64_t count = 0;
  for (auto& weight : layer->own_weights()) count += weight->shape.elements();
  return count;
}

struct Row {
  const Layer& layer;
  const Shape& output;
  int64_t parameters;
};

// Every layer call with its output; none of a model whose shapes are open.
std::vector<Row> rows_of(const Model& model) {
  std::vector<Row> rows;
  if (!model.built()) return rows;
  for (size_t number : keras_call_order(model)) {
    const LayerCall& call = model.calls[number];
    rows.push_back({*call.layer, call.output_shapes[0], own_parameters(call.layer)});
  }
  return rows;
}

int64_t trained_parameters(Model& model) {
  int64_t trained = 0;
  for (const ModelWeight& each : model.weights())
    if (each.trained) trained += each.weight->shape.elements();
  return trained;
}

void print_summary(const SavedModel& saved) {
  Model& model = *saved.model;
  std::cout << fmt::format("Model: \"{}\" ({})\n\n{:42} {:26} {:>12}\n", printable(model.name),
                           model.class_name(), "Layer (type)", "Output shape", "Param #");
  for (const Row& row : rows_of(model))
    std::cout << fmt::format(
        "{:42} {:26} {:>12}{}\n",
        fmt::format("{} ({})", printable(row.layer.name), row.layer.class_name()),
        shape_text(row.output), thousands(row.parameters), policy_text(row.layer));
  int64_t trained = trained_parameters(model);
  int64_t total = model.parameters();
  std::cout << fmt::format(
      "\nTotal params: {} ({})\nTrainable params: {}\nNon-trainable params: {}\n", thousands(total),
      bytes_text(static_cast<uint64_t>(total) * 4), thousands(trained), thousands(total - trained));
  if (saved.compile) std::cout << "Compiled with\n" << compile_text(*saved.compile);
  if (saved.optimizer_problem)
    std::cout << "The optimizer cannot be used: "
              << printable(saved.optimizer_problem->parts().message) << "\n";
  if (saved.optimizer_state)
    std::cout << fmt::format("Optimizer state: after {}\n",
                             counted(saved.optimizer_state->iteration, "step"));
}

Json layer_json(const Row& row) {
  Json::Array shape{Json()};
  shape.insert(shape.end(), row.output.begin() + 1, row.output.end());
  return Json::object({{"name", row.layer.name},
                       {"class_name", row.layer.class_name()},
                       {"policy", row.layer.policy.name},
                       {"output_shape", shape},
                       {"parameters", row.parameters}});
}

// The architecture as Keras has it, and what the summary says besides.
Json summary_json(const SavedModel& saved) {
  Model& model = *saved.model;
  Json::Array layers;
  for (const Row& row : rows_of(model)) layers.push_back(layer_json(row));
  Json report = model_json(model);
  report.set("parameters", model.parameters());
  report.set("trainable_parameters", trained_parameters(model));
  report.set("layers", layers);
  report.set("compile", saved.compile ? compile_config_json(*saved.compile) : Json());
  report.set("optimizer_steps",
             saved.optimizer_state ? Json(saved.optimizer_state->iteration) : Json());
  return report;
}

// What --kernels, --measure, --graph, --stablehlo, --passes and --dump ask for.
struct Compiled {
  std::vector<KernelRecord> kernels;
  std::optional<StepProfile> profile;
  std::string graph, stablehlo;
  std::vector<PassRecord> passes;
  PassDumps dumps;

  const StepProfile* times() const { return profile ? &*profile : nullptr; }
};

constexpr int64_t measured_steps = 3;

// Steps on one batch, after a first one that meets cold caches.
StepProfile measured(Trainer& trainer, const Dataset& batch) {
  trainer.fit(batch, nullptr, {});
  StepProfile profile;
  trainer.fit(batch, nullptr, {.epochs = measured_steps, .profile = &profile});
  return profile;
}

std::string stablehlo_of(const Graph& step, const TrainerOptions& settings) {
  const CompileOptions options{.replicas = settings.replicas};
  return print_stablehlo(run_passes(step, stablehlo_passes(options), options).graph,
                         {.matmul_precision = settings.matmul_precision});
}

Compiled compiled(const Options& asked, SavedModel& saved) {
  Options options = asked;
  Model& model = *saved.model;
  CompileConfig config = compile_for(options, saved, true);
  Dataset like = data_to_plan_for(options, saved, config, options.measure ? options.batch : 1);
  std::unique_ptr<Backend> backend = backend_for(options);
  PassDumps dumps(options.dumps);
  TrainerOptions settings = trainer_options(options, *backend);
  settings.dump = [&](std::string_view pass, const Graph& graph) { dumps.add(pass, graph); };
  Trainer trainer(model, config, *backend, std::move(settings));
  const Executable& step = trainer.compile_training(like);
  Compiled result{.kernels = step.kernels(), .passes = step.passes(), .dumps = std::move(dumps)};
  result.dumps.require_all(result.passes);
  if (options.measure) {
    complete_model(saved, like, options.seed);
    result.profile = measured(trainer, like);
  }
  if (options.graph) result.graph = print(trainer.training_graph(like), Scopes::shown);
  if (options.stablehlo)
    result.stablehlo =
        stablehlo_of(trainer.training_graph(like), trainer_options(options, *backend));
  return result;
}

bool asks_for_kernels(const Options& options) { return options.kernels || options.measure; }

bool asks_for_the_step(const Options& options) {
  return options.graph || options.stablehlo || options.passes || !options.dumps.empty() ||
         asks_for_kernels(options);
}

void print_model(const Options& options, const SavedModel& saved) {
  if (options.json)
    print_json(summary_json(saved));
  else
    print_summary(saved);
}

void print_step_json(const Options& options, const SavedModel& saved, const Compiled& step) {
  Json report = summary_json(saved);
  if (asks_for_kernels(options)) report.set("kernels", kernels_json(step.kernels, step.times()));
  if (options.passes) report.set("passes", passes_json(step.passes));
  if (options.graph) report.set("graph", step.graph);
  if (options.stablehlo) report.set("stablehlo", step.stablehlo);
  if (!options.dumps.empty()) report.set("dumps", step.dumps.json());
  print_json(report);
}

void print_step(const Options& options, const SavedModel& saved, const Compiled& step) {
  if (options.json) return print_step_json(options, saved, step);
  if (asks_for_kernels(options)) std::cout << kernel_table(step.kernels, step.times());
  if (options.passes) std::cout << passes_table(step.passes);
  std::cout << printable(step.graph, "\n") << step.stablehlo << step.dumps.text();
}

}  // namespace

int run_inspect(const Options& options) {
  SavedModel saved = load_model(options);
  note_left_out(options, saved);
  if (!asks_for_the_step(options))
    print_model(options, saved);
  else
    print_step(options, saved, compiled(options, saved));
  return 0;
}

}  // namespace hornbeam
