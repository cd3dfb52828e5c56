#include "base/threads.h"

#include <sched.h>

#include <algorithm>
#include <utility>

namespace hornbeam {
namespace {

// Rounds of waiting before a worker sleeps: steps follow each other within microseconds.
constexpr int spins_before_sleep = 20000;

void pause_briefly() { __builtin_ia32_pause(); }

}  // namespace

ThreadPool::ThreadPool(int threads) {
  for (int thread = 1; thread < threads; ++thread)
    workers_.emplace_back([this, thread] { worker(thread); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    ++generation_;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run_erased(int64_t pieces, void* target, Call call) {
  if (workers_.empty() || pieces <= 1) {
    for (int64_t piece = 0; piece < pieces; ++piece) call(target, piece, 0);
    return;
  }
  {
    std::lock_guard lock(mutex_);
    pieces_ = pieces;
    target_ = target;
    call_ = call;
    next_ = 0;
    busy_ = static_cast<int>(workers_.size());
    ++generation_;
  }
  wake_.notify_all();
  take_pieces(0);
  while (busy_.load(std::memory_order_acquire) > 0) pause_briefly();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::take_pieces(int thread) {
  try {
    for (int64_t piece = next_++; piece < pieces_; piece = next_++) call_(target_, piece, thread);
  } catch (...) {
    next_ = pieces_;
    std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void ThreadPool::worker(int thread) {
  uint64_t seen = 0;
  while (true) {
    for (int spin = 0; spin < spins_before_sleep && generation_ == seen; ++spin) pause_briefly();
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return generation_ != seen; });
      seen = generation_;
    }
    if (stop_) return;
    take_pieces(thread);
    busy_.fetch_sub(1, std::memory_order_release);
  }
}

int available_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace hornbeam
