// The memory of a whole fit, with validation and saving, against the plan of its step.
#include <gtest/gtest.h>
#include <malloc.h>

#include <filesystem>
#include <set>

#include "backends/backends.h"
#include "base/rng.h"
#include "data/made.h"
#include "keras/save.h"
#include "nn/zoo.h"
#include "process_memory.h"
#include "train/trainer.h"

namespace hornbeam {
namespace {

Dataset random_samples(const Model& model, int64_t samples) {
  Shape shape = model.declared_shapes()->at(0);
  shape[0] = samples;
  Dataset data{.name = "random"};
  Tensor inputs(DType::uint8, shape), labels(DType::uint8, {samples, 1});
  Random random(1);
  for (uint8_t& value : inputs.values<uint8_t>()) value = static_cast<uint8_t>(random.bits());
  for (uint8_t& label : labels.values<uint8_t>()) label = static_cast<uint8_t>(random.below(10));
  data.inputs.push_back({"", std::move(inputs)});
  data.targets.push_back({"", std::move(labels)});
  return data;
}

CompileConfig adam_with_accuracy() {
  return {.optimizer = optimizer_by_name("adam", "test"),
          .loss = "sparse_categorical_crossentropy",
          .metrics = Json::Array{"accuracy"}};
}

// The weights are there before a fit, and move into its memory.
double weight_bytes(Model& model) { return 4.0 * static_cast<double>(model.parameters()); }

// As the program does it, so that weights that have moved are given back at once.
void give_large_blocks_back() { ::mallopt(M_MMAP_THRESHOLD, 128 << 10); }

TEST(Memory, OfAFitIsThatOfTheStep) {
  if (sanitized) GTEST_SKIP() << "a sanitizer keeps memory of its own";
  give_large_blocks_back();
  auto backend = make_backend("cpu", {.threads = 2});
  std::shared_ptr<Model> model = zoo_model("article-cnn");
  model->initialize(0);
  CompileConfig config = adam_with_accuracy();
  std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "memory.keras";
  Dataset data = made_images(40, 10, 0);
  Trainer trainer(*model, config, *backend, {.batch = 32});
  auto save = [&](const History&) {
    save_keras(file, *model, &config, trainer.state());
    return true;
  };
  save({});  // loads the HDF5 library
  malloc_trim(0);
  forget_the_peak();
  double start = status_bytes("VmRSS");
  trainer.fit(data, &data, {.epochs = 2, .epoch_end = save});
  double grown = status_bytes("VmHWM") - start + weight_bytes(*model);
  double planned = static_cast<double>(trainer.compile_training(data).memory_plan().peak_bytes);
  EXPECT_GT(planned, 80e6);
  EXPECT_LT(grown, planned * 1.05);
  EXPECT_GT(grown, planned * 0.95);
}

// A prime batch is rounded up when it is cut.
TEST(Memory, DecidesOfAnAwkwardBatchAlikeAtAnyNumberOfThreads) {
  std::shared_ptr<Model> model = zoo_model("lenet");
  model->initialize(0);
  Dataset data = random_samples(*model, 1009);
  auto plan = [&](int threads, int64_t limit) {
    auto backend = make_backend("cpu", {.threads = threads});
    Trainer trainer(*model, adam_with_accuracy(), *backend, {.batch = 1009, .memory_limit = limit});
    return trainer.compile_training(data).memory_plan();
  };
  const int64_t least = plan(1, INT64_MAX).peak_bytes;
  std::set<int64_t> parts;
  for (int64_t limit = least * 9 / 10; limit < least * 9 / 8; limit += least / 64) {
    const MemoryPlan one = plan(1, limit);
    parts.insert(one.microbatches.parts);
    for (int threads : {2, 3, 16}) {
      const MemoryPlan more = plan(threads, limit);
      EXPECT_EQ(more.microbatches.samples, one.microbatches.samples) << threads << ", " << limit;
      EXPECT_EQ(more.microbatches.parts, one.microbatches.parts) << threads << ", " << limit;
      EXPECT_LE(more.peak_bytes, limit);
    }
  }
  EXPECT_GT(parts.size(), 1U) << "some limits cut it, some do not";
}

TEST(Memory, IsFlatOverManySteps) {
  if (sanitized) GTEST_SKIP() << "a sanitizer keeps memory of its own";
  auto backend = make_backend("cpu", {.threads = 2});
  std::shared_ptr<Model> model = zoo_model("lenet");
  model->initialize(0);
  CompileConfig config = adam_with_accuracy();
  Dataset data = random_samples(*model, 1000);
  Trainer trainer(*model, config, *backend, {.batch = 1});
  std::vector<double> resident;
  trainer.fit(data, nullptr, {.epochs = 11, .epoch_end = [&](const History&) {
                                resident.push_back(status_bytes("RssAnon"));
                                return true;
                              }});
  EXPECT_LT(resident.back() - resident.front(), 64 * 1024) << "over 10,000 steps";
}

}  // namespace
}  // namespace hornbeam
