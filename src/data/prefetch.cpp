#include "data/prefetch.h"

#include "base/threads.h"

namespace hornbeam {

Prefetch::Prefetch(std::vector<Batch> staging, int64_t steps_per_epoch, Fill fill)
    : staging_(std::move(staging)),
      steps_(steps_per_epoch),
      fill_(std::move(fill)),
      filled_(steps_),  // no epoch is started yet: nothing to do
      given_(steps_) {
  check(staging_.size() >= 2, "one batch is used while another is filled");
  thread_ = start_thread([this] { work(); });
}

Prefetch::~Prefetch() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  to_thread_.notify_one();
  thread_.join();
}

void Prefetch::start_epoch(int64_t epoch) {
  {
    std::lock_guard lock(mutex_);
    epoch_ = epoch;
    ++run_;
    filled_ = given_ = 0;
    failure_ = nullptr;
  }
  to_thread_.notify_one();
}

const Batch* Prefetch::next() {
  std::unique_lock lock(mutex_);
  if (given_ == steps_) return nullptr;
  to_consumer_.wait(lock, [&] { return filled_ > given_ || failure_ != nullptr; });
  if (filled_ == given_) std::rethrow_exception(failure_);
  ++given_;
  to_thread_.notify_one();
  return &staging_of(given_ - 1);
}

// Whether the next step has a staging batch that nobody needs: the consumer holds the batch of step
// given_ - 1.
bool Prefetch::can_fill() const {
  int64_t oldest_needed = given_ == 0 ? 0 : given_ - 1;
  return filled_ < steps_ && filled_ < oldest_needed + std::ssize(staging_) && failure_ == nullptr;
}

void Prefetch::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    to_thread_.wait(lock, [&] { return stop_ || can_fill(); });
    if (stop_) return;
    fill_one(lock);
  }
}

// The lock is open while the batch is filled. When another epoch was started meanwhile, the batch
// is dropped; its place is filled anew by this same thread.
void Prefetch::fill_one(std::unique_lock<std::mutex>& lock) {
  uint64_t run = run_;
  int64_t epoch = epoch_, step = filled_;
  std::exception_ptr failure;
  lock.unlock();
  try {
    fill_(epoch, step, staging_of(step));
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  if (run != run_) return;
  failure_ = failure;
  if (failure == nullptr) ++filled_;
  to_consumer_.notify_one();
}

}  // namespace hornbeam
