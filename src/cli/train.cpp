#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/class_weight.h"
#include "cli/commands.h"
#include "cli/data_check.h"
#include "cli/data_notes.h"
#include "cli/interrupt.h"
#include "cli/profile_report.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/run_folder.h"
#include "cli/session.h"
#include "cli/trace.h"

namespace hornbeam {
namespace {

struct Sets {
  Dataset training;
  std::optional<Dataset> validation;
};

Sets load_sets(const Options& options, const Model& model) {
  Sets sets{load_data(options, options.data, model), std::nullopt};
  if (!options.validation.empty()) sets.validation = load_data(options, options.validation, model);
  if (options.validation_split != 0) {
    if (sets.validation)
      throw Error("H304", {.message = "give either --validation or --validation-split"});
    Split split = validation_split(sets.training, options.validation_split);
    sets = {std::move(split.training), std::move(split.validation)};
  }
  return sets;
}

// A run from the built model to its last epoch or the step at which it was interrupted.
class Run {
 public:
  Run(const Options& options, SavedModel& saved, CompileConfig config, Sets sets)
      : options_(options),
        model_(*saved.model),
        config_(std::move(config)),
        sets_(std::move(sets)),
        backend_(backend_for(options)),
        trainer_(model_, config_, *backend_, trainer_options(options, *backend_)),
        profile_(options.trace.empty() ? 0 : traced_steps) {
    if (saved.optimizer_state && options.optimizer.empty())
      trainer_.set_optimizer_state(std::move(*saved.optimizer_state));
  }

  int run() {
    MemoryPlan plan = trainer_.compile_training(sets_.training).memory_plan();
    trainer_.require_memory(plan);
    const int64_t validation_peak = peak_of_validation();
    RunFolder folder(options_, model_.name, config_);
    folder.write_plan(plan_text(plan));
    plan.peak_bytes = std::max(plan.peak_bytes, validation_peak);
    announce(plan, folder);
    History history = fit(folder);
    if (!options_.trace.empty())
      write_text(options_.trace, strict_json_text(chrome_trace(profile_)) + "\n");
    report(folder, plan, history);
    if (!history.interrupted) return 0;
    note(options_, fmt::format("interrupted; saved to {}", folder.model_path().string()));
    return static_cast<int>(Exit::interrupted);
  }

 private:
  // More than that of training only where training is cut.
  int64_t peak_of_validation() {
    if (!sets_.validation) return 0;
    const MemoryPlan& plan = trainer_.compile_validation(*sets_.validation).memory_plan();
    trainer_.require_memory(plan);
    return plan.peak_bytes;
  }

  void announce(const MemoryPlan& plan, const RunFolder& folder) const {
    note(options_,
         fmt::format("{}: {}, {}, batch {}, planned peak {}, run in {}", model_.name,
                     counted(model_.parameters(), "parameter"),
                     counted(sets_.training.samples(), "sample"), options_.batch,
                     bytes_text(static_cast<uint64_t>(plan.peak_bytes)), folder.path().string()));
    const Microbatches& cut = plan.microbatches;
    if (cut.samples > 0)
      note(options_, fmt::format("the batch does not fit whole: microbatches of {} samples, "
                                 "predicted time {:.2f} of the uncut one (plan.txt has the rest)",
                                 cut.samples, cut.slowdown));
    if (std::string fewer = threads_text(plan.threads); !fewer.empty())
      note(options_, "note: the step " + fewer);
  }

  void report(const RunFolder& folder, const MemoryPlan& plan, const History& history) const {
    if (!options_.json) {
      if (options_.profile) std::cout << profile_text(profile_);
      return;
    }
    Json document = train_report(options_, folder.path(), model_, plan, history,
                                 replicas_for(options_, *backend_));
    if (options_.profile) document.set("profile", profile_json(profile_));
    print_json(document);
  }

  void save(const RunFolder& folder) { folder.write_model(model_, config_, trainer_.state()); }

  History fit(const RunFolder& folder) {
    InterruptWatch watch;
    const bool profiled = options_.profile || !options_.trace.empty();
    std::unique_ptr<Reporter> reporter = reporter_for(options_);
    auto epoch_end = [&](const History& history) {
      folder.write_history(history);
      save(folder);
      return !watch.asked();
    };
    History history = trainer_.fit(sets_.training, sets_.validation ? &*sets_.validation : nullptr,
                                   {.epochs = options_.epochs,
                                    .shuffle = !options_.no_shuffle,
                                    .steps_per_epoch = options_.steps_per_epoch,
                                    .reporter = reporter.get(),
                                    .epoch_end = epoch_end,
                                    .interrupted = [&] { return watch.asked(); },
                                    .profile = profiled ? &profile_ : nullptr});
    if (history.interrupted) save(folder);
    history.interrupted |= watch.asked();
    return history;
  }

  const Options& options_;
  Model& model_;
  CompileConfig config_;
  Sets sets_;
  std::unique_ptr<Backend> backend_;
  Trainer trainer_;
  StepProfile profile_;
};

}  // namespace

int run_train(const Options& asked) {
  Options options = asked;
  SavedModel saved = load_model(options);
  CompileConfig config = compile_for(options, saved, true);
  ClassWeights weights = class_weights(options);
  Sets sets = load_sets(options, *saved.model);
  options.batch = std::min(options.batch, sets.training.samples());
  complete_model(saved, sets.training, options.seed);
  note_left_out(options, saved);
  check_data(options, sets.training, *saved.model, config);
  if (sets.validation) check_data(options, *sets.validation, *saved.model, config);
  note_reshaping(options, sets.training, *saved.model);
  note_unscaled(options, sets.training, *saved.model);
  note_odd_targets(options, sets.training, *saved.model, config);
  note_nothing_trained(options, *saved.model);
  note_idle_replicas(options);
  check_class_weights(weights, *saved.model);
  if (!weights.empty()) sets.training = with_class_weight(std::move(sets.training), weights);
  return Run(options, saved, std::move(config), std::move(sets)).run();
}

}  // namespace hornbeam
