#include "train/memory_refusal.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace hornbeam {
namespace {

std::string text_of(int64_t bytes) { return bytes_text(static_cast<uint64_t>(bytes)); }

int64_t staged_bytes(const MemoryPlan& plan) {
  return plan.peak_by_use[static_cast<size_t>(MemoryUse::staged_input)];
}

// Batches as they come in are the one thing that no cut makes smaller.
int64_t batch_that_fits(const MemoryPlan& plan, int64_t limit, int64_t batch) {
  const int64_t staged = staged_bytes(plan), room = limit - (plan.peak_bytes - staged);
  if (staged == 0 || room <= 0) return 0;
  return static_cast<int64_t>(static_cast<double>(batch) * static_cast<double>(room) /
                              static_cast<double>(staged));
}

}  // namespace

MemoryRefusal memory_refusal(const MemoryPlan& plan, int64_t limit, int64_t batch) {
  const int64_t samples = plan.microbatches.samples, fits = batch_that_fits(plan, limit, batch);
  std::string message = fmt::format("the step needs {}, of {} that may be used",
                                    text_of(plan.peak_bytes), text_of(limit));
  if (samples > 0)
    message += fmt::format(", even with {} sample(s) of a replica at a time", samples);
  std::string help = fmt::format("allow {} with --memory", text_of(plan.peak_bytes));
  if (fits > 0) help += fmt::format(" or take a --batch of at most about {}", thousands(fits));
  help += fmt::format(": the state takes {} and {} samples as they come in {}, whatever the cut",
                      text_of(plan.state_bytes), thousands(batch), text_of(staged_bytes(plan)));
  return {std::move(message), std::move(help)};
}

}  // namespace hornbeam
