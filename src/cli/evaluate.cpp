#include <fmt/format.h>

#include <iostream>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/data_check.h"
#include "cli/data_notes.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/session.h"

namespace hornbeam {

int run_evaluate(const Options& options) {
  SavedModel saved = load_model(options);
  CompileConfig config = compile_for(options, saved, false);
  Dataset data = load_data(options, options.data, *saved.model);
  if (complete_model(saved, data, options.seed)) note_fresh_weights(options);
  check_data(options, data, *saved.model, config);
  note_reshaping(options, data, *saved.model);
  note_unscaled(options, data, *saved.model);
  note_odd_targets(options, data, *saved.model, config);
  std::unique_ptr<Backend> backend = backend_for(options);
  Trainer trainer(*saved.model, config, *backend, trainer_options(options, *backend));
  Logs logs = trainer.evaluate(data, reporter_for(options).get());
  if (options.json)
    print_json(logs_json(logs));
  else
    for (const auto& [name, value] : logs)
      std::cout << fmt::format("{}: {:.6g}\n", printable(name), value);
  return 0;
}

}  // namespace hornbeam
