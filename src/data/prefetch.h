// Batches made ahead of time on a thread, so that a training step never waits for data that can be
// had.
//
// The staging batches are allocated once, by the caller; they are filled in turn, again and again,
// and nothing is allocated while batches flow. One of them is with the consumer, the others are
// being filled or wait.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/tensor.h"

namespace hornbeam {

// Every tensor has the full batch size as its first axis. Behind the `valid` samples come zeros.
struct Batch {
  std::vector<Tensor> inputs;
  std::vector<Tensor> targets;
  std::optional<Tensor> sample_weight;
  int64_t valid = 0;
};

class Prefetch {
 public:
  // Fills a batch; called on the thread, for steps 0, 1, 2, … of an epoch in order.
  using Fill = std::function<void(int64_t epoch, int64_t step, Batch& batch)>;

  // At least two staging batches; what they hold is kept until it is filled over.
  Prefetch(std::vector<Batch> staging, int64_t steps_per_epoch, Fill fill);
  ~Prefetch();  // waits for the batch being filled, for nothing else
  Prefetch(const Prefetch&) = delete;
  Prefetch& operator=(const Prefetch&) = delete;

  // Begins to fill the batches of an epoch and returns at once. What is left of an earlier epoch is
  // dropped, and the batch that next() gave last is no longer the caller's.
  void start_epoch(int64_t epoch);

  // The next batch, which is the caller's until the next call; null after the last one of the
  // epoch. Rethrows what `fill` threw for it.
  const Batch* next();

 private:
  void work();
  bool can_fill() const;
  void fill_one(std::unique_lock<std::mutex>& lock);
  Batch& staging_of(int64_t step) { return staging_[static_cast<size_t>(step) % staging_.size()]; }

  std::vector<Batch> staging_;
  const int64_t steps_;
  const Fill fill_;

  std::mutex mutex_;  // guards all below
  std::condition_variable to_thread_, to_consumer_;
  bool stop_ = false;
  int64_t epoch_ = 0;
  uint64_t run_ = 0;            // counts calls of start_epoch
  int64_t filled_ = 0;          // steps filled in this run
  int64_t given_ = 0;           // steps given to the consumer, who holds the last of them
  std::exception_ptr failure_;  // of the step `filled_`
  std::thread thread_;
};

}  // namespace hornbeam
