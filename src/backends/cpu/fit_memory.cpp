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

// The best executable for so many threads of those that were tried.
class Fitting {
 public:
  // `given`: bytes of the plan that no cut changes, of the state and the staged input.
  Fitting(const CpuCompiler& compiler, int64_t limit, int64_t given, int threads)
      : compiler_(compiler),
        limit_(limit),
        most_kept_(std::max<int64_t>(0, limit - given)),
        threads_(threads) {}

  bool fits() const { return best_ != nullptr && fits(*best_); }
  std::unique_ptr<CpuExecutable> take() { return std::move(best_); }

  // Keeps less and less until the plan, which is known only when it is made, fits. Whether one of
  // them is the best so far.
  bool try_size(int64_t size) {
    bool better = false;
    int64_t most_kept = most_kept_;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      std::unique_ptr<CpuExecutable> made =
          compiler_.executable(compiler_.cut({size, most_kept}), threads_);
      const int64_t kept = made->memory_plan().microbatches.kept_bytes, over = peak(*made) - limit_;
      if (is_better(*made)) {
        best_ = std::move(made);
        better = true;
      }
      if (over <= 0 || kept == 0 || kept > most_kept) break;
      most_kept = std::max<int64_t>(0, kept - over - over / 16);
    }
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

  const CpuCompiler& compiler_;
  int64_t limit_, most_kept_;
  int threads_;
  std::unique_ptr<CpuExecutable> best_;
};

// `with` makes an executable for a number of threads. The one for as many as fit; for one when none
// do.
template <class With>
std::unique_ptr<CpuExecutable> with_most_threads(With with, int64_t limit, int threads) {
  std::unique_ptr<CpuExecutable> all = with(threads);
  if (threads == 1 || peak(*all) <= limit) return all;
  const int64_t missing_bytes = peak(*all) - limit;
  std::unique_ptr<CpuExecutable> best = with(1);
  for (int fit = 1, too_many = threads; too_many - fit > 1;) {
    const int middle = fit + (too_many - fit) / 2;
    std::unique_ptr<CpuExecutable> made = with(middle);
    if (peak(*made) > limit) {
      too_many = middle;
    } else {
      fit = middle;
      best = std::move(made);
    }
  }
  if (peak(*best) <= limit) best->miss_for_all_threads(missing_bytes);
  return best;
}

// Bytes of the plan that no cut changes: of the state and the staged input.
int64_t given_bytes(const CpuExecutable& each) {
  return peak(each) - each.memory_plan().arena_bytes;
}

// Samples of a part, 0 for the whole batch, by what one thread needs: with the reserve left free
// where anything fits so.
int64_t decided_size(const CpuCompiler& compiler, int64_t limit, const CpuExecutable& whole) {
  int64_t smallest_peak = peak(whole), smallest_size = 0;
  for (int64_t room : {without_reserve(limit), limit}) {
    if (peak(whole) <= room) return 0;
    Fitting decision(compiler, room, given_bytes(whole), 1);
    decision.try_sizes(part_sizes(compiler.samples()));
    const bool fits = decision.fits();
    const std::unique_ptr<CpuExecutable> best = decision.take();
    if (best == nullptr) continue;
    if (fits) return best->memory_plan().microbatches.samples;
    if (peak(*best) >= smallest_peak) continue;
    smallest_peak = peak(*best);
    smallest_size = best->memory_plan().microbatches.samples;
  }
  return smallest_size;
}

}  // namespace

std::unique_ptr<CpuExecutable> fit_memory(const CpuCompiler& compiler, int64_t limit, int threads) {
  const CutGraph uncut = compiler.cut({});
  auto whole = [&](int count) { return compiler.executable(uncut, count); };
  const std::unique_ptr<CpuExecutable> one = whole(1);
  const int64_t size = decided_size(compiler, limit, *one);
  if (size == 0) return with_most_threads(whole, limit, threads);
  auto in_parts = [&](int count) {
    Fitting fitting(compiler, limit, given_bytes(*one), count);
    fitting.try_size(size);
    return fitting.take();
  };
  std::unique_ptr<CpuExecutable> best = with_most_threads(in_parts, limit, threads);
  best->compare_with_uncut(one->predicted_seconds());
  return best;
}

}  // namespace hornbeam
