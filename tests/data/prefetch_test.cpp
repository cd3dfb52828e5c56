#include "data/prefetch.h"

#include <atomic>
#include <chrono>

#include "refusals.h"

namespace hornbeam {
namespace {

using std::chrono::milliseconds;

std::vector<Batch> staging(size_t count) { return std::vector<Batch>(count); }

TEST(Prefetch, HandsOnWhatFillThrows) {
  Prefetch prefetch(staging(2), 5, [](int64_t epoch, int64_t step, Batch& batch) {
    if (epoch == 0 && step == 3) throw Error("H202", {.message = "sample 3 is broken"});
    batch.valid = step;
  });
  prefetch.start_epoch(0);
  for (int64_t step = 0; step < 3; ++step) EXPECT_EQ(prefetch.next()->valid, step);
  expect_error("H202", {"sample 3"}, [&] { prefetch.next(); });
  expect_error("H202", {"sample 3"}, [&] { prefetch.next(); });  // and does not hang after it
  prefetch.start_epoch(1);
  for (int64_t step = 0; step < 5; ++step) EXPECT_EQ(prefetch.next()->valid, step);
  EXPECT_EQ(prefetch.next(), nullptr);
}

TEST(Prefetch, WorksAheadButNotOverTheBatchInUse) {
  for (int64_t count : {2, 3, 4}) {
    std::atomic<int64_t> filled = 0;
    Prefetch prefetch(staging(static_cast<size_t>(count)), 100,
                      [&](int64_t, int64_t step, Batch& batch) {
                        batch.valid = step;
                        ++filled;
                      });
    auto wait_for = [&](int64_t expected) {
      for (int i = 0; i < 2000 && filled < expected; ++i)
        std::this_thread::sleep_for(milliseconds(1));
      std::this_thread::sleep_for(milliseconds(5));  // time to go too far
      EXPECT_EQ(filled, expected);
    };
    prefetch.start_epoch(0);
    wait_for(count);
    const Batch* batch = prefetch.next();
    wait_for(count);  // the first batch is in use, the others wait
    EXPECT_EQ(batch->valid, 0);
    prefetch.next();
    wait_for(count + 1);
  }
}

TEST(Prefetch, ABatchStaysAsItIsWhileItIsUsed) {
  Prefetch prefetch(staging(2), 300, [](int64_t epoch, int64_t step, Batch& batch) {
    batch.valid = epoch * 1000 + step;
  });
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    prefetch.start_epoch(epoch);
    for (int64_t step = 0; step < 300; ++step) {
      const Batch* batch = prefetch.next();
      for (int i = 0; i < 100; ++i) ASSERT_EQ(batch->valid, epoch * 1000 + step);
    }
    EXPECT_EQ(prefetch.next(), nullptr);
  }
}

TEST(Prefetch, DropsWhatIsLeftOfAnEarlierEpoch) {
  Prefetch prefetch(staging(2), 10, [](int64_t epoch, int64_t step, Batch& batch) {
    if (step == 2) std::this_thread::sleep_for(milliseconds(1));
    batch.valid = epoch * 1000 + step;
  });
  for (int64_t epoch = 0; epoch < 50; ++epoch) {
    prefetch.start_epoch(epoch);
    for (int64_t step = 0; step < epoch % 11; ++step)
      EXPECT_EQ(prefetch.next()->valid, epoch * 1000 + step);
  }
}

TEST(Prefetch, WantsTwoBatches) {
  expect_error("H901", {}, [] { Prefetch(staging(1), 1, [](int64_t, int64_t, Batch&) {}); });
}

}  // namespace
}  // namespace hornbeam
