// Replicas: equal slices of each batch with their own batch statistics. The numbers are made with
// Keras, one slice after the other (tests/golden/generators/replicas.py); the last batch leaves
// some slices partly and some wholly empty.
#include <gtest/gtest.h>

#include "backends/backends.h"
#include "train/golden_models.h"
#include "train/trainer.h"

namespace hornbeam {
namespace {

struct Result {
  std::vector<double> losses;
  std::vector<Tensor> weights;
};

Result train(int replicas, const std::string& backend_name, int threads) {
  auto backend = make_backend(backend_name, {.threads = threads});
  SavedModel saved = load_model_file(golden_models() / "replicas.keras", "");
  Trainer trainer(*saved.model, *saved.compile, *backend, {.batch = 32, .replicas = replicas});
  Dataset data = Pictures(golden_models(), "images_32").part("training");
  Result result;
  trainer.fit(data, nullptr,
              {.shuffle = false, .step_loss = [&](double loss) { result.losses.push_back(loss); }});
  trainer.download();
  result.weights = weights_of(saved);
  return result;
}

class Replicas : public testing::TestWithParam<int> {};

// What rounding does to the same training without replicas.
Json rounding_of_residual_sgd() {
  Json trainings = trainings_in(golden_models());
  for (const Json& each : trainings.as_array())
    if (each.at("name").as_text() == "residual_sgd") return each.at("rounding");
  ADD_FAILURE() << "residual_sgd is missing";
  return {};
}

void expect_like_keras(const Result& result, int replicas) {
  NpzReader numbers(golden_models() / ("replicas_" + std::to_string(replicas) + ".npz"));
  Json rounding = rounding_of_residual_sgd();
  EXPECT_TRUE(expect_step_losses(result.losses, numbers.read("step_losses"),
                                 rounding.at("step_losses").as_array()));
  expect_close_as_rounding_allows(result.weights, numbers, "weight",
                                  rounding.at("weights").as_array());
}

TEST_P(Replicas, TrainAsKerasDoesSliceBySlice) {
  expect_like_keras(train(GetParam(), "cpu", 1), GetParam());
  expect_like_keras(train(GetParam(), "reference", 1), GetParam());
}

TEST_P(Replicas, HaveTheSameBitsAtAnyNumberOfThreads) {
  Result one = train(GetParam(), "cpu", 1), three = train(GetParam(), "cpu", 3);
  EXPECT_EQ(one.losses, three.losses);
  for (size_t i = 0; i < one.weights.size(); ++i)
    EXPECT_TRUE(identical(one.weights[i], three.weights[i])) << i;
}

INSTANTIATE_TEST_SUITE_P(Keras, Replicas, testing::Values(2, 8),
                         [](const auto& each) { return std::to_string(each.param); });

TEST(Replicas, AreMoreThanAScheduleWhereBatchesAreNormalized) {
  EXPECT_NE(train(1, "cpu", 1).losses, train(8, "cpu", 1).losses);
}

}  // namespace
}  // namespace hornbeam
