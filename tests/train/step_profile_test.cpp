// Where the times of a training are booked: by layer, by phase, by kind of kernel.
#include "train/step_profile.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "backends/backends.h"
#include "data/made.h"
#include "nn/zoo.h"
#include "train/trainer.h"

namespace hornbeam {
namespace {

StepProfile profile_of(const std::string& backend_name) {
  auto backend = make_backend(backend_name, {.threads = 2});
  std::shared_ptr<Model> model = zoo_model("article-mlp");
  model->initialize(0);
  CompileConfig config{.optimizer = optimizer_by_name("adam", "test"),
                       .loss = "sparse_categorical_crossentropy",
                       .metrics = Json::Array{"accuracy"}};
  Trainer trainer(*model, config, *backend, {.batch = 2});
  StepProfile profile(1);
  trainer.fit(made_images(4, 10, 0), nullptr, {.profile = &profile});
  return profile;
}

class StepProfiles : public testing::Test {
 protected:
  static void SetUpTestSuite() { profile_.emplace(profile_of("cpu")); }
  static const StepProfile& profile() { return *profile_; }

  static double kernel_seconds() {
    double all = 0;
    for (size_t i = 0; i < profile().kernels().size(); ++i) all += profile().kernel_seconds(i);
    return all;
  }

 private:
  static inline std::optional<StepProfile> profile_;
};

TEST_F(StepProfiles, CountEveryStepOnce) {
  EXPECT_EQ(profile().times().runs(), 2);
  auto begins_run = [](const Profile::Ended& each) { return !each.kernel; };
  EXPECT_EQ(std::ranges::count_if(profile().times().traced(), begins_run), 1);
  EXPECT_LE(profile().executable_seconds() + profile().waiting_seconds(), profile().seconds());
}

TEST_F(StepProfiles, EveryTableHasAllOfTheTime) {
  double layers = 0, kinds = 0;
  int64_t calls = 0;
  for (const LayerTimes& times : times_by_layer(profile())) layers += times.all_seconds();
  for (const KindTimes& times : times_by_kind(profile())) {
    kinds += times.seconds;
    calls += times.calls;
  }
  EXPECT_NEAR(layers, kernel_seconds(), 1e-9);
  EXPECT_NEAR(kinds, kernel_seconds(), 1e-9);
  EXPECT_EQ(calls, std::ssize(profile().kernels()));
}

TEST_F(StepProfiles, LayersWithWeightsHaveAllPhases) {
  const std::vector<LayerTimes> layers = times_by_layer(profile());
  for (const char* name : {"dense", "batch_normalization", "dense_8"}) {
    auto found = std::ranges::find(layers, name, &LayerTimes::layer);
    ASSERT_NE(found, layers.end()) << name;
    for (double seconds : found->seconds) EXPECT_GT(seconds, 0) << name;
  }
}

TEST_F(StepProfiles, NothingCostlyBelongsToNoLayer) {
  for (const KernelRecord& record : profile().kernels())
    if (origin_of(record.scope).layer.empty()) {
      EXPECT_LE(record.result.shape.elements(), 2) << record.op;
    }
}

// The loops over its parts are no black boxes.
TEST(StepProfileOfACutBatch, StillHasLayersPhasesAndKernels) {
  auto backend = make_backend("cpu", {.threads = 2});
  std::shared_ptr<Model> model = zoo_model("lenet");
  model->initialize(0);
  CompileConfig config{.optimizer = optimizer_by_name("adam", "test"),
                       .loss = "sparse_categorical_crossentropy"};
  Dataset data{.name = "zeros"};
  data.inputs.push_back({"", Tensor(DType::uint8, {512, 28, 28, 1})});
  data.targets.push_back({"", Tensor(DType::uint8, {512, 1})});
  Trainer trainer(*model, config, *backend, {.batch = 512, .memory_limit = int64_t{16} << 20});
  StepProfile profile;
  trainer.fit(data, nullptr, {.profile = &profile});
  const int64_t parts = trainer.compile_training(data).memory_plan().microbatches.parts;
  ASSERT_GT(parts, 1);
  double all = 0, inside = 0, layers = 0;
  for (size_t i = 0; i < profile.kernels().size(); ++i) {
    const KernelRecord& record = profile.kernels()[i];
    all += profile.kernel_seconds(i);
    if (record.node.find('.') == std::string::npos) continue;
    inside += profile.kernel_seconds(i);
    EXPECT_EQ(record.calls, parts) << record.op;
  }
  EXPECT_GT(inside, 0);
  for (const LayerTimes& times : times_by_layer(profile)) {
    layers += times.all_seconds();
    if (!times.layer.starts_with("conv2d") && !times.layer.starts_with("dense")) continue;
    EXPECT_GT(times.seconds[static_cast<size_t>(Phase::forward)], 0) << times.layer;
    EXPECT_GT(times.seconds[static_cast<size_t>(Phase::backward)], 0) << times.layer;
  }
  EXPECT_NEAR(layers, all, 1e-9);
}

}  // namespace
}  // namespace hornbeam
