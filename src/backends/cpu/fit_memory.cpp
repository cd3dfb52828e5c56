#include "backends/cpu/fit_memory.h"

#include <algorithm>

namespace hornbeam {
namespace {

constexpr int64_t largest_part = 256;  // more samples at a time are no faster
constexpr int most_attempts = 5;       // for each size

// Divisors of the batch, each at most half of the one before.
std::vector<int64_t> part_sizes(int64_t samples) {
  std::vector<int64_t> sizes;
  for (int64_t size = std::min(largest_part, samples / 2); size >= 1; --size)
    if (samples % size == 0 && (sizes.empty() || 2 * size <= sizes.back())) sizes.push_back(size);
  return sizes;
}

class Fitting {
 public:
  Fitting(int64_t limit, int threads, const CompileCut& compile)
      : limit_(limit), threads_(threads), compile_(compile), best_(compile({}, threads)) {}

  bool fits() const { return fits(*best_); }
  int64_t chosen_size() const { return best_->memory_plan().microbatches.samples; }
  std::unique_ptr<CpuExecutable> take() { return std::move(best_); }

  // What fits whole is cut even so when it can be.
  void must_cut() { must_cut_ = true; }

  // The best of parts of these sizes, largest first, and of what was tried before.
  void try_sizes(const std::vector<int64_t>& sizes) {
    const int64_t given = peak(*best_) - best_->memory_plan().arena_bytes;
    for (int64_t size : sizes) {
      if (fits(*best_) && !(must_cut_ && chosen_size() == 0) &&
          predicted(*best_) < 1 + overhead(size))
        break;
      try_size(size, limit_ - given);
    }
  }

 private:
  static int64_t peak(const CpuExecutable& each) { return each.memory_plan().peak_bytes; }
  bool fits(const CpuExecutable& each) const { return peak(each) <= limit_; }

  // Every part costs some samples' time.
  static double overhead(int64_t size) { return 2 / static_cast<double>(size); }
  static double predicted(const CpuExecutable& each) {
    const Microbatches& parts = each.memory_plan().microbatches;
    return parts.samples == 0 ? 1 : parts.slowdown + overhead(parts.samples);
  }

  bool is_better(const CpuExecutable& each) const {
    if (fits(each) != fits(*best_)) return fits(each);
    if (fits(each) && must_cut_ && chosen_size() == 0) return true;
    return fits(each) ? predicted(each) < predicted(*best_) : peak(each) < peak(*best_);
  }

  // Keeps less and less until the plan, which is known only when it is made, fits.
  void try_size(int64_t size, int64_t most_kept) {
    for (int attempt = 0; attempt < most_attempts && most_kept >= 0; ++attempt) {
      std::unique_ptr<CpuExecutable> made = compile_({size, most_kept}, threads_);
      const int64_t kept = made->memory_plan().microbatches.kept_bytes, over = peak(*made) - limit_;
      if (is_better(*made)) best_ = std::move(made);
      if (over <= 0 || kept > most_kept) return;
      most_kept = kept - over - over / 16;
    }
  }

  int64_t limit_;
  int threads_;
  const CompileCut& compile_;
  bool must_cut_ = false;
  std::unique_ptr<CpuExecutable> best_;
};

}  // namespace

std::unique_ptr<CpuExecutable> fit_memory(int64_t samples, int64_t limit, int threads,
                                          const CompileCut& compile) {
  const int64_t for_one_thread = without_reserve(limit);
  std::unique_ptr<CpuExecutable> whole = compile({}, threads);
  if (whole->memory_plan().peak_bytes <= for_one_thread) return whole;
  Fitting one(for_one_thread, 1, compile), all(limit, threads, compile);
  if (!one.fits()) one.try_sizes(part_sizes(samples));
  if (one.chosen_size() > 0) {
    all.must_cut();
    all.try_sizes({one.chosen_size()});
  }
  if (!all.fits()) all.try_sizes(part_sizes(samples));
  return all.take();
}

}  // namespace hornbeam
