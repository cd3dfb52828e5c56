// A fixed set of threads that runs numbered pieces of work. Nothing is allocated while it runs.
//
// Which thread takes a piece is not defined, so a piece may depend on its number alone: cut work by
// shape, never by the number of threads, and results have the same bits at any number of threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hornbeam {

class ThreadPool {
 public:
  explicit ThreadPool(int threads);  // including the calling thread; at least 1
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls work(piece, thread) for every piece in [0, pieces), thread in [0, threads()), and returns
  // when all are done; rethrows the first exception. Not reentrant.
  template <class Work>
  void run(int64_t pieces, Work&& work) {
    run_erased(pieces, &work, [](void* target, int64_t piece, int thread) {
      (*static_cast<std::remove_reference_t<Work>*>(target))(piece, thread);
    });
  }

 private:
  using Call = void (*)(void*, int64_t, int);
  void run_erased(int64_t pieces, void* target, Call call);
  void publish(int64_t pieces, void* target, Call call);
  void take_pieces(int thread);
  void worker(int thread);
  void end_workers();

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<bool> stop_{false};

  // The job in progress. `ticket_` holds its number and the next piece, so that a thread that comes
  // late can neither take a piece of a later job by mistake nor has to be waited for.
  std::atomic<uint64_t> ticket_{0};
  std::atomic<int64_t> pieces_{0};
  std::atomic<void*> target_{nullptr};
  std::atomic<Call> call_{nullptr};
  std::atomic<int64_t> done_{0};
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;
};

// A thread of its own; H402 when the system lends no more.
std::thread start_thread(std::function<void()> work);

// The number of cores this process may run on (its affinity mask).
int available_cores();

}  // namespace hornbeam
