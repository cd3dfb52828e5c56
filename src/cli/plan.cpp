#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "base/error.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/sample_data.h"
#include "cli/session.h"

namespace hornbeam {

namespace {

std::string bytes_of(int64_t bytes) { return bytes_text(static_cast<uint64_t>(bytes)); }

std::string does_not_fit(const MemoryPlan& plan, int64_t limit) {
  return fmt::format(
      "\nDoes not fit: it needs {} of {} that may be used; a smaller --batch needs "
      "less\n",
      bytes_of(plan.peak_bytes), bytes_of(limit));
}

class Planner {
 public:
  explicit Planner(const Options& asked)
      : options_(asked),
        saved_(load_model(options_)),
        config_(compile_for(options_, saved_, true)),
        like_(data_to_plan_for(options_, saved_, config_)),
        backend_(backend_for(options_)),
        limit_(memory_limit(options_)) {}

  int run() { return options_.max_batch ? show_largest_batch() : show_plan(); }

 private:
  MemoryPlan plan(int64_t batch, int64_t limit) {
    TrainerOptions settings = trainer_options(options_);
    settings.batch = batch;
    settings.memory_limit = limit;
    return Trainer(*saved_.model, config_, *backend_, settings)
        .compile_training(like_)
        .memory_plan();
  }

  int show_plan() {
    MemoryPlan needed = plan(options_.batch, limit_);
    bool fits = needed.peak_bytes <= limit_;
    if (options_.json)
      print_json(plan_json(needed, fits, options_.replicas));
    else
      std::cout << plan_text(needed) << (fits ? "" : does_not_fit(needed, limit_));
    return fits ? 0 : static_cast<int>(Exit::does_not_fit);
  }

  bool fits_whole(int64_t batch) {
    return plan(batch, INT64_MAX).peak_bytes <= without_reserve(limit_);
  }

  // Memory grows with the batch, so that halving finds it. A batch of one for each replica may not
  // fit: 0 then.
  int64_t largest_batch() {
    constexpr int64_t most = int64_t{1} << 24;
    int64_t fits = 0, too_large = options_.replicas;
    while (too_large <= most && fits_whole(too_large)) fits = too_large, too_large *= 2;
    while (too_large - fits > std::max<int64_t>(options_.replicas, fits / 256)) {
      int64_t middle = (fits + too_large) / 2 / options_.replicas * options_.replicas;
      (fits_whole(middle) ? fits : too_large) = middle;
    }
    return fits;
  }

  int show_largest_batch() {
    int64_t batch = largest_batch();
    if (options_.json)
      print_json(Json::object({{"max_batch", batch}, {"memory_limit_bytes", limit_}}));
    else if (batch > 0)
      std::cout << fmt::format(
          "The largest batch that fits whole into {}: {}\nLarger ones run in "
          "microbatches: hornbeam plan {} --batch N\n",
          bytes_of(limit_), thousands(batch), options_.model);
    else
      std::cout << fmt::format("No batch fits whole into {}; hornbeam plan {} --batch 1 says why\n",
                               bytes_of(limit_), options_.model);
    return batch > 0 ? 0 : static_cast<int>(Exit::does_not_fit);
  }

  Options options_;
  SavedModel saved_;
  CompileConfig config_;
  Dataset like_;
  std::unique_ptr<Backend> backend_;
  int64_t limit_;
};

}  // namespace

int run_plan(const Options& options) { return Planner(options).run(); }

}  // namespace hornbeam
