#include "data/batches.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "refusals.h"

namespace hornbeam {
namespace {

// Sample i has the input (i, -i) and the target i (uint8, as stored).
Dataset counting(int64_t samples) {
  Tensor x(DType::float32, {samples, 2});
  Tensor y(DType::uint8, {samples, 1});
  Tensor weight(DType::float32, {samples});
  for (int64_t i = 0; i < samples; ++i) {
    x.values<float>()[2 * i] = static_cast<float>(i);
    x.values<float>()[2 * i + 1] = static_cast<float>(-i);
    y.values<uint8_t>()[i] = static_cast<uint8_t>(i);
    weight.values<float>()[i] = static_cast<float>(i) / 2;
  }
  Dataset data{.name = "counting"};
  data.inputs.push_back({"", std::move(x)});
  data.targets.push_back({"", std::move(y)});
  data.sample_weight = std::move(weight);
  return data;
}

// The targets of one epoch in the order they come, with all checks on the way.
std::vector<int> epoch_of(Batches& batches, int64_t epoch) {
  std::vector<int> seen;
  batches.start_epoch(epoch);
  while (const Batch* batch = batches.next()) {
    auto x = batch->inputs[0].values<float>();
    auto y = batch->targets[0].values<uint8_t>();
    for (int64_t i = 0; i < std::ssize(y); ++i) {
      float expected = i < batch->valid ? y[i] : 0;
      EXPECT_EQ(y[i], expected);
      EXPECT_EQ(x[2 * i], expected);
      EXPECT_EQ(x[2 * i + 1], -expected);
      EXPECT_EQ(batch->sample_weight->values<float>()[i], expected / 2);
      if (i < batch->valid) seen.push_back(y[i]);
    }
  }
  EXPECT_EQ(batches.next(), nullptr);
  return seen;
}

std::vector<int> in_order(int count) {
  std::vector<int> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// The same samples with a second input, too large to be gathered when it is asked for.
Dataset with_large_input(Dataset data) {
  data.inputs.push_back({"large", Tensor(DType::float32, {data.samples(), 5000})});
  return data;
}

TEST(Batches, LargeOnesComeAsSmallOnesDo) {
  Dataset small = counting(50), large = with_large_input(counting(50));
  Batches now(small, {.batch_size = 8}), ahead(large, {.batch_size = 8});
  for (int64_t epoch : {0, 1, 7}) EXPECT_EQ(epoch_of(now, epoch), epoch_of(ahead, epoch));
}

TEST(Batches, KeepTheOrderWithoutShuffling) {
  Dataset data = counting(10);
  for (int64_t size : {1, 3, 5, 10, 16}) {
    Batches batches(data, {.batch_size = size, .shuffle = false});
    EXPECT_EQ(batches.steps_per_epoch(), (10 + size - 1) / size);
    for (int64_t epoch : {0, 1, 2}) EXPECT_EQ(epoch_of(batches, epoch), in_order(10));
  }
}

TEST(Batches, KeepTheSmallerLastBatchPaddedWithZeros) {
  Dataset data = counting(5);
  Batches batches(data, {.batch_size = 3, .shuffle = false});
  batches.start_epoch(0);
  EXPECT_EQ(batches.next()->valid, 3);
  const Batch* last = batches.next();
  EXPECT_EQ(last->valid, 2);
  EXPECT_TRUE(identical(last->inputs[0], Tensor::of<float>({3, 2}, {3, -3, 4, -4, 0, 0})));
  EXPECT_TRUE(identical(last->targets[0], Tensor::of<uint8_t>({3, 1}, {3, 4, 0})));
  EXPECT_EQ(batches.next(), nullptr);
}

TEST(Batches, ShuffleEverySampleOnceAnEpoch) {
  Dataset data = counting(100);
  Batches batches(data, {.batch_size = 7, .seed = 3});
  std::set<std::vector<int>> orders;
  for (int64_t epoch = 0; epoch < 5; ++epoch) {
    std::vector<int> seen = epoch_of(batches, epoch);
    orders.insert(seen);
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, in_order(100));
  }
  EXPECT_EQ(orders.size(), 5u);
}

TEST(Batches, OrderDependsOnSeedAndEpochAlone) {
  Dataset data = counting(50);
  Batches small(data, {.batch_size = 7, .seed = 1}), large(data, {.batch_size = 50, .seed = 1});
  Batches other(data, {.batch_size = 7, .seed = 2});
  std::vector<int> first = epoch_of(small, 0), second = epoch_of(small, 1);
  EXPECT_EQ(epoch_of(large, 1), second);
  EXPECT_EQ(epoch_of(small, 0), first);  // as a resumed run asks for it
  EXPECT_NE(epoch_of(other, 0), first);
}

// Computed by shuffle_order.py beside this file. It must never change, or runs could not be
// repeated.
TEST(Shuffle, IsFixedForAllTime) {
  std::vector<int64_t> order(10);
  shuffle(order, 0, 0);
  EXPECT_EQ(order, (std::vector<int64_t>{4, 0, 8, 9, 5, 2, 1, 6, 3, 7}));
  shuffle(order, 7, 3);
  EXPECT_EQ(order, (std::vector<int64_t>{1, 8, 0, 5, 2, 6, 4, 9, 7, 3}));
}

// Each of the 6 orders of 3 samples appears about 1000 times in 6000 epochs (standard deviation
// 29).
TEST(Shuffle, FavoursNoOrder) {
  std::map<std::vector<int64_t>, int> counts;
  std::vector<int64_t> order(3);
  for (int64_t epoch = 0; epoch < 6000; ++epoch) {
    shuffle(order, 5, epoch);
    ++counts[order];
  }
  EXPECT_EQ(counts.size(), 6u);
  for (const auto& [_, count] : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(Batches, ReuseTheirStagingTensors) {
  Dataset data = counting(20);
  std::set<const std::byte*> places;
  std::vector<Batch> staging;
  for (int i = 0; i < 3; ++i) {
    staging.push_back(new_batch(data, 4));
    places.insert(staging.back().inputs[0].data());
  }
  EXPECT_EQ(bytes_of(staging[0]), 4u * (2 * 4 + 1 + 4));
  Batches batches(data, {.batch_size = 4}, std::move(staging));
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    batches.start_epoch(epoch);
    while (const Batch* batch = batches.next()) EXPECT_TRUE(places.count(batch->inputs[0].data()));
  }
}

TEST(Batches, RefuseBadSizesAndEmptyData) {
  Dataset data = counting(4), empty = counting(0);
  expect_error("H302", {"batch size is 0"}, [&] { Batches(data, {.batch_size = 0}); });
  expect_error("H203", {"no samples"}, [&] { Batches(empty, {}); });
}

TEST(Batches, CanStartAnotherEpochAtAnyTime) {
  Dataset data = counting(30);
  Batches batches(data, {.batch_size = 4, .shuffle = false});
  EXPECT_EQ(batches.next(), nullptr);  // no epoch is started
  for (int taken = 0; taken < 8; ++taken) {
    batches.start_epoch(taken);
    for (int i = 0; i < taken; ++i) ASSERT_NE(batches.next(), nullptr);
    EXPECT_EQ(epoch_of(batches, taken), in_order(30));
  }
}

TEST(Batches, CanBeDroppedAtAnyTime) {
  Dataset data = counting(200);
  for (int taken = 0; taken < 20; ++taken) {
    Batches batches(data, {.batch_size = 3});
    if (taken > 0) batches.start_epoch(0);
    for (int i = 1; i < taken; ++i) batches.next();
  }
}

}  // namespace
}  // namespace hornbeam
