#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/sample_data.h"
#include "cli/session.h"
#include "train/memory_refusal.h"

namespace hornbeam {

namespace {

std::string bytes_of(int64_t bytes) { return bytes_text(static_cast<uint64_t>(bytes)); }

std::string does_not_fit(const MemoryPlan& plan, int64_t limit, int64_t batch) {
  MemoryRefusal refusal = memory_refusal(plan, limit, batch);
  return fmt::format("\nDoes not fit: {}\nhelp: {}\n", refusal.message, refusal.help);
}

// How large a batch runs whole does not depend on the threads: that is decided as for one.
Options with_deciding_threads(Options options) {
  if (options.max_batch) options.threads = 1;
  return options;
}

class Planner {
 public:
  explicit Planner(const Options& asked)
      : options_(asked),
        saved_(load_model(options_)),
        config_(compile_for(options_, saved_, true)),
        like_(data_to_plan_for(options_, saved_, config_)),
        backend_(backend_for(with_deciding_threads(options_))),
        replicas_(replicas_for(options_, *backend_)),
        limit_(memory_limit(options_, *backend_)) {}

  int run() { return options_.max_batch ? show_largest_batch() : show_plan(); }

 private:
  MemoryPlan plan(int64_t batch, int64_t limit) {
    TrainerOptions settings = trainer_options(options_, *backend_);
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
      print_json(plan_json(needed, fits, replicas_));
    else
      std::cout << plan_text(needed) << (fits ? "" : does_not_fit(needed, limit_, options_.batch));
    return fits ? 0 : static_cast<int>(Exit::does_not_fit);
  }

  struct Tried {
    int64_t batch, room;  // bytes left of those that a whole batch may need; negative when it fails
  };
  Tried tried(int64_t batch) {
    return {batch, without_reserve(limit_) - plan(batch, INT64_MAX).peak_bytes};
  }

  // 0 when a batch of one for each replica does not fit. Memory grows nearly in proportion to the
  // batch, so that a line through two of them tells where to look.
  int64_t largest_batch() {
    constexpr int64_t most = int64_t{1} << 24;
    Tried fits = tried(replicas_), other = tried(64 * replicas_);
    if (fits.room < 0) return 0;
    std::optional<int64_t> too_large;
    if (other.room < 0) too_large = other.batch;
    while (fits.batch < most && (!too_large || *too_large - fits.batch > step_at(fits.batch))) {
      Tried next = tried(where_the_room_ends(fits, other, too_large));
      other = next.room < 0 ? next : fits;
      if (next.room < 0)
        too_large = next.batch;
      else
        fits = next;
    }
    return fits.batch;
  }

  // How near the answer is looked for: a multiple of the replicas.
  int64_t step_at(int64_t batch) const {
    return std::max<int64_t>(1, batch / 256 / replicas_) * replicas_;
  }

  int64_t where_the_room_ends(Tried fits, Tried other, std::optional<int64_t> too_large) const {
    const int64_t step = step_at(fits.batch);
    const double bytes_a_sample = std::max(1.0, static_cast<double>(fits.room - other.room) /
                                                    static_cast<double>(other.batch - fits.batch));
    const int64_t more = static_cast<int64_t>(static_cast<double>(fits.room) / bytes_a_sample) /
                         replicas_ * replicas_;
    const int64_t least = fits.batch + step;
    return too_large ? std::clamp(fits.batch + more, least, *too_large - step)
                     : std::max(fits.batch + more, least);
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
  int replicas_;
  int64_t limit_;
};

}  // namespace

int run_plan(const Options& options) { return Planner(options).run(); }

}  // namespace hornbeam
