// The memory of a whole fit, with validation and saving, against the plan of its step.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <filesystem>

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

struct Fit {
  std::string model;
  int64_t batch;
  int64_t limit = INT64_MAX;  // below what the whole batch needs: it is cut
  int replicas = 1;
};

class MemoryTable : public testing::TestWithParam<Fit> {};

TEST_P(MemoryTable, PlanIsWhatAFitTakes) {
  if (sanitized) GTEST_SKIP() << "a sanitizer keeps memory of its own";
  give_large_blocks_back();
  const auto& [name, batch, limit, replicas] = GetParam();
  auto backend = make_backend("cpu", {.threads = 2});
  std::shared_ptr<Model> model = zoo_model(name);
  model->initialize(0);
  CompileConfig config = adam_with_accuracy();
  Dataset data = random_samples(*model, batch);
  Trainer trainer(*model, config, *backend,
                  {.batch = batch, .replicas = replicas, .memory_limit = limit});
  malloc_trim(0);
  forget_the_peak();
  const double start = status_bytes("VmRSS");
  trainer.fit(data, nullptr, {.epochs = 2});
  const double grown = status_bytes("VmHWM") - start + weight_bytes(*model);
  const MemoryPlan& plan = trainer.compile_training(data).memory_plan();
  EXPECT_EQ(plan.microbatches.samples > 0, limit != INT64_MAX);
  const double planned = static_cast<double>(plan.peak_bytes);
  EXPECT_LT(grown, planned * 1.05);
  EXPECT_GT(grown, planned * 0.95);
}

constexpr int64_t MiB = 1 << 20;

INSTANTIATE_TEST_SUITE_P(Models, MemoryTable,
                         testing::Values(Fit{"article-cnn", 16}, Fit{"article-cnn", 48},
                                         Fit{"article-mlp", 32}, Fit{"article-mlp", 1024},
                                         Fit{"lenet", 1024}, Fit{"lenet", 4096},
                                         Fit{"article-cnn", 64, 105 * MiB},
                                         Fit{"article-mlp", 4096, 260 * MiB}),
                         [](const auto& fit) {
                           std::string name = fit.param.model;
                           std::ranges::replace(name, '-', '_');
                           return name + "_" + std::to_string(fit.param.batch) +
                                  (fit.param.limit < INT64_MAX ? "_cut" : "");
                         });

TEST(Memory, IsFlatOverManySteps) {
  if (sanitized) GTEST_SKIP() << "a sanitizer keeps memory of its own";
  auto backend = make_backend("cpu", {.threads = 2});
  std::shared_ptr<Model> model = zoo_model("lenet");
  model->initialize(0);
  CompileConfig config = adam_with_accuracy();
  Dataset data = random_samples(*model, 1000);
  Trainer trainer(*model, config, *backend, {.batch = 1});
  std::vector<double> resident;
  trainer.fit(data, nullptr, {.epochs = 10, .epoch_end = [&](const History&) {
                                resident.push_back(status_bytes("RssAnon"));
                                return true;
                              }});
  EXPECT_LT(resident.back() - resident.front(), 64 * 1024) << "over 9,000 steps";
}

}  // namespace
}  // namespace hornbeam
