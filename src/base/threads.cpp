#include "base/threads.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace hornbeam {
namespace {

// Rounds of waiting before a worker sleeps: steps follow each other within microseconds.
constexpr int spins_before_sleep = 20000;
// Rounds after which the caller lets others run: with more threads than free cores the piece it
// waits for may belong to a thread that has none.
constexpr int spins_before_yield = 1000;

// A ticket: the number of the job above, the next piece below.
constexpr int piece_bits = 40;
constexpr uint64_t piece_mask = (uint64_t{1} << piece_bits) - 1;

uint64_t job_of(uint64_t ticket) { return ticket >> piece_bits; }
int64_t piece_of(uint64_t ticket) { return static_cast<int64_t>(ticket & piece_mask); }

void pause_briefly() { __builtin_ia32_pause(); }

}  // namespace

ThreadPool::ThreadPool(int threads) {
  try {
    for (int thread = 1; thread < threads; ++thread)
      workers_.push_back(start_thread([this, thread] { worker(thread); }));
  } catch (...) {
    end_workers();
    throw;
  }
}

ThreadPool::~ThreadPool() { end_workers(); }

void ThreadPool::end_workers() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run_erased(int64_t pieces, void* target, Call call) {
  if (workers_.empty() || pieces <= 1) {
    for (int64_t piece = 0; piece < pieces; ++piece) call(target, piece, 0);
    return;
  }
  publish(pieces, target, call);
  take_pieces(0);
  for (int spin = 0; done_.load() < pieces; ++spin)
    spin < spins_before_yield ? pause_briefly() : std::this_thread::yield();
  if (failed_.exchange(false)) std::rethrow_exception(std::exchange(failure_, nullptr));
}

// The ticket between two jobs has no pieces: whoever still holds the old one fails to exchange it,
// so it cannot take a piece of a half-written job.
void ThreadPool::publish(int64_t pieces, void* target, Call call) {
  {
    std::lock_guard lock(mutex_);
    const uint64_t between = job_of(ticket_.load()) + 1;
    ticket_.store(between << piece_bits | piece_mask);
    pieces_.store(pieces);
    target_.store(target);
    call_.store(call);
    done_.store(0);
    ticket_.store((between + 1) << piece_bits);
  }
  wake_.notify_all();
}

// What is read of the job belongs to the ticket if the exchange succeeds: a job's words change only
// after all its pieces are done.
void ThreadPool::take_pieces(int thread) {
  uint64_t ticket = ticket_.load();
  const uint64_t job = job_of(ticket);
  while (job_of(ticket) == job) {
    const Call call = call_.load();
    void* const target = target_.load();
    if (piece_of(ticket) >= pieces_.load()) return;
    if (!ticket_.compare_exchange_weak(ticket, ticket + 1)) continue;
    try {
      if (!failed_.load(std::memory_order_relaxed)) call(target, piece_of(ticket), thread);
    } catch (...) {
      if (!failed_.exchange(true)) failure_ = std::current_exception();
    }
    done_.fetch_add(1);
    ticket = ticket_.load();
  }
}

void ThreadPool::worker(int thread) {
  uint64_t seen = 0;
  const auto nothing_new = [&] { return job_of(ticket_.load()) == seen; };
  while (true) {
    for (int spin = 0; spin < spins_before_sleep && nothing_new(); ++spin) pause_briefly();
    if (nothing_new()) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stop_ || !nothing_new(); });
    }
    if (stop_) return;
    seen = job_of(ticket_.load());
    take_pieces(thread);
  }
}

std::thread start_thread(std::function<void()> work) {
  try {
    return std::thread(std::move(work));
  } catch (const std::system_error& error) {
    throw Error("H402", {.message = fmt::format("no further thread can be started: {}",
                                                error.code().message()),
                         .help = "--threads N asks for fewer; ulimit -a shows what may be used"});
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
