#include <fmt/format.h>

#include <iostream>

#include "base/error.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/sample_data.h"
#include "cli/session.h"

namespace hornbeam {

namespace {

std::string does_not_fit(const MemoryPlan& plan, const Options& options) {
  return fmt::format(
      "\nDoes not fit: it needs {} of {} that may be used; a smaller --batch needs less\n",
      bytes_text(static_cast<uint64_t>(plan.peak_bytes)), bytes_text(memory_limit(options)));
}

}  // namespace

int run_plan(const Options& asked) {
  Options options = asked;
  SavedModel saved = load_model(options);
  CompileConfig config = compile_for(options, saved, true);
  Dataset like = data_to_plan_for(options, saved, config);
  TrainerOptions settings = trainer_options(options);
  settings.memory_limit = UINT64_MAX;  // what does not fit is shown, too
  std::unique_ptr<Backend> backend = backend_for(options);
  Trainer trainer(*saved.model, config, *backend, settings);
  const MemoryPlan& plan = trainer.compile_training(like).memory_plan();
  bool fits = static_cast<uint64_t>(plan.peak_bytes) <= memory_limit(options);
  if (options.json)
    print_json(plan_json(plan, fits, options.replicas));
  else
    std::cout << plan_text(plan) << (fits ? "" : does_not_fit(plan, options));
  return fits ? 0 : static_cast<int>(Exit::does_not_fit);
}

}  // namespace hornbeam
