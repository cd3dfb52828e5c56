#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <iostream>

#include "base/error.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/run_folder.h"
#include "cli/session.h"

namespace hornbeam {
namespace {

std::unique_ptr<Reporter> reporter_for(const Options& options) {
  std::string kind = options.quiet ? "none" : options.progress;
  if (kind == "auto") kind = ::isatty(STDERR_FILENO) ? "bar" : "plain";
  if (kind == "bar")
    return std::make_unique<ProgressBar>(std::cerr, std::getenv("NO_COLOR") == nullptr);
  if (kind == "plain") return std::make_unique<PlainLines>(std::cerr);
  if (kind == "none") return std::make_unique<Reporter>();
  throw Error("H302", {.message = "--progress takes auto, bar, plain or none, not " + kind});
}

struct Sets {
  Dataset training;
  std::optional<Dataset> validation;
};

int64_t class_number(const std::string& key) {
  int64_t number = 0;
  auto [end, failure] = std::from_chars(key.data(), key.data() + key.size(), number);
  if (failure != std::errc() || end != key.data() + key.size())
    throw Error("H302", {.message = fmt::format("'{}' is no class number", key),
                         .place = "--class-weight",
                         .help = "write it as '{\"0\": 1, \"1\": 3}'"});
  return number;
}

Sets load_sets(const Options& options, const Model& model) {
  Sets sets{load_data(options, options.data, model), std::nullopt};
  if (!options.validation.empty()) sets.validation = load_data(options, options.validation, model);
  if (options.validation_split != 0) {
    if (sets.validation)
      throw Error("H304", {.message = "give either --validation or --validation-split"});
    Split split = validation_split(sets.training, options.validation_split);
    sets = {std::move(split.training), std::move(split.validation)};
  }
  if (!options.class_weight.empty()) {
    std::map<int64_t, double> weights;
    Json given = parse_json(options.class_weight, "--class-weight");
    for (const auto& [key, value] : given.as_object())
      weights[class_number(key)] = value.as_number();
    sets.training = with_class_weight(std::move(sets.training), weights);
  }
  return sets;
}

void require_fit(const Options& options, const MemoryPlan& plan) {
  if (options.memory.empty()) return;
  uint64_t ceiling = parse_bytes(options.memory, "--memory");
  if (static_cast<uint64_t>(plan.peak_bytes) <= ceiling) return;
  throw Error("H401", {.message = fmt::format("the step needs {}, --memory allows {}",
                                              bytes_text(static_cast<uint64_t>(plan.peak_bytes)),
                                              bytes_text(ceiling)),
                       .help = "a smaller --batch needs less; hornbeam plan shows what takes it"});
}

}  // namespace

int run_train(const Options& options) {
  SavedModel saved = load_model(options);
  Model& model = *saved.model;
  CompileConfig config = compile_for(options, saved, true);
  Sets sets = load_sets(options, model);
  complete_model(model, sets.training, options.seed);
  check_data(sets.training, model, config);
  if (sets.validation) check_data(*sets.validation, model, config);
  std::unique_ptr<Backend> backend = backend_for(options);
  TrainerOptions trainer_settings = trainer_options(options);
  trainer_settings.batch = std::min(trainer_settings.batch, sets.training.samples());
  Trainer trainer(model, config, *backend, trainer_settings);
  if (saved.optimizer_state && options.optimizer.empty())
    trainer.set_optimizer_state(*saved.optimizer_state);
  const MemoryPlan& plan = trainer.compile_training(sets.training).memory_plan();
  require_fit(options, plan);
  RunFolder folder(options, model.name);
  folder.write_plan(plan_text(plan));
  note(options,
       fmt::format("{}: {} parameters, {} samples, batch {}, planned peak {}, run in {}",
                   model.name, thousands(model.parameters()), thousands(sets.training.samples()),
                   trainer_settings.batch, bytes_text(static_cast<uint64_t>(plan.peak_bytes)),
                   folder.path().string()));
  std::unique_ptr<Reporter> reporter = reporter_for(options);
  FitOptions fit{.epochs = options.epochs.value_or(1),
                 .shuffle = !options.no_shuffle,
                 .steps_per_epoch = options.steps_per_epoch,
                 .reporter = reporter.get(),
                 .epoch_end = [&](const History& history) {
                   folder.write_history(history);
                   return true;
                 }};
  History history = trainer.fit(sets.training, sets.validation ? &*sets.validation : nullptr, fit);
  trainer.download();
  folder.write_model(model, config, trainer.optimizer_state());
  if (options.json)
    std::cout << json_text(train_report(options, folder.path(), model, plan, history)) << "\n";
  return 0;
}

}  // namespace hornbeam
