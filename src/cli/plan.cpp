#include <iostream>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/sample_data.h"
#include "cli/session.h"

namespace hornbeam {

int run_plan(const Options& options) {
  SavedModel saved = load_model(options);
  CompileConfig config = compile_for(options, saved, true);
  TrainerOptions settings = trainer_options(options);
  settings.memory_limit = UINT64_MAX;  // what does not fit is shown, too
  std::unique_ptr<Backend> backend = backend_for(options);
  Trainer trainer(*saved.model, config, *backend, settings);
  Dataset like = data_like(*saved.model, config);
  const MemoryPlan& plan = trainer.compile_training(like).memory_plan();
  bool fits = static_cast<uint64_t>(plan.peak_bytes) <= memory_limit(options);
  if (options.json)
    print_json(plan_json(plan, fits, options.replicas));
  else
    std::cout << plan_text(plan);
  return fits ? 0 : static_cast<int>(Exit::does_not_fit);
}

}  // namespace hornbeam
