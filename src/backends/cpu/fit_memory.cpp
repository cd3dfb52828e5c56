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

int64_t peak(const CpuExecutable& each) { return each.memory_plan().peak_bytes; }

// The best executable of those that were offered.
class Fitting {
 public:
  // `given`: bytes of the plan that no cut changes, of the state and the staged input.
  Fitting(int64_t limit, int64_t given, int threads, const CpuCompiler& compiler)
      : limit_(limit),
        most_kept_(std::max<int64_t>(0, limit - given)),
        threads_(threads),
        compiler_(compiler) {}

  bool fits() const { return best_ != nullptr && fits(*best_); }
  int64_t chosen_size() const {
    return best_ == nullptr ? 0 : best_->memory_plan().microbatches.samples;
  }
  std::unique_ptr<CpuExecutable> take() { return std::move(best_); }

  // Whether it is the best so far.
  bool offer(std::unique_ptr<CpuExecutable> made) {
    const bool better = is_better(*made);
    if (better) best_ = std::move(made);
    return better;
  }

  // Parts of these sizes, largest first: smaller ones take longer, but leave more room for what is
  // kept.
  void try_sizes(const std::vector<int64_t>& sizes) {
    for (int64_t size : sizes) {
      const bool fitted = fits();
      const bool better = try_size(size);
      if (fitted && !better) return;
    }
  }

 private:
  bool fits(const CpuExecutable& each) const { return peak(each) <= limit_; }

  bool is_better(const CpuExecutable& each) const {
    if (best_ == nullptr) return true;
    if (fits(each) != fits()) return fits(each);
    return fits() ? each.predicted_seconds() < best_->predicted_seconds()
                  : peak(each) < peak(*best_);
  }

  // Keeps less and less until the plan, which is known only when it is made, fits. Whether one of
  // them is the best so far.
  bool try_size(int64_t size) {
    bool better = false;
    int64_t most_kept = most_kept_;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      std::unique_ptr<CpuExecutable> made = compiler_.compile({size, most_kept}, threads_);
      const int64_t kept = made->memory_plan().microbatches.kept_bytes, over = peak(*made) - limit_;
      better |= offer(std::move(made));
      if (over <= 0 || kept == 0 || kept > most_kept) break;
      most_kept = std::max<int64_t>(0, kept - over - over / 16);
    }
    return better;
  }

  int64_t limit_, most_kept_;
  int threads_;
  const CpuCompiler& compiler_;
  std::unique_ptr<CpuExecutable> best_;
};

}  // namespace

std::unique_ptr<CpuExecutable> fit_memory(const CpuCompiler& compiler, int64_t limit, int threads) {
  std::unique_ptr<CpuExecutable> whole = compiler.compile({}, threads);
  const std::vector<int64_t> sizes = part_sizes(compiler.samples());
  if (peak(*whole) <= without_reserve(limit) || sizes.empty()) return whole;
  const double uncut_seconds = whole->predicted_seconds();
  const int64_t given = peak(*whole) - whole->memory_plan().arena_bytes;
  Fitting one(without_reserve(limit), given, 1, compiler), all(limit, given, threads, compiler);
  one.offer(compiler.compile({}, 1));
  one.try_sizes(sizes);
  if (one.chosen_size() > 0) all.try_sizes({one.chosen_size()});
  if (!all.fits()) {
    all.offer(std::move(whole));
    all.try_sizes(sizes);
  }
  std::unique_ptr<CpuExecutable> best = all.take();
  best->compare_with_uncut(uncut_seconds);
  return best;
}

}  // namespace hornbeam
