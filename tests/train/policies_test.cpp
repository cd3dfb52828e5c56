// Trainings under mixed_bfloat16 against Keras (tests/golden/policies, made by its generator).
//
// Two trainings in bfloat16 that are both right differ by where chains of operations are rounded.
// How much that is, Keras says itself: the generator trains compiled by XLA, which rounds at the
// end of a chain; eagerly, which rounds every operation; and in float32, which rounds none.
// Hornbeam may be three times as far from the compiled training as the farther of the others is.
// Weights which that makes noise (biases in front of batch normalisation) are left out. Trainings
// say little about which policy was computed; the prediction before them does: the reference rounds
// every operation, as Keras does eagerly. (The CPU's softmax rounds once, as XLA's does.)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/backends.h"
#include "train/golden_models.h"
#include "train/trainer.h"

namespace hornbeam {
namespace {

namespace fs = std::filesystem;

constexpr double as_far_as_keras = 3;
constexpr double all_noise = 0.1;
// What is left of a rounding to bfloat16 in a weight that hardly moves.
constexpr double least_distance = 1e-3;

fs::path policies() { return fs::path(HORNBEAM_TESTS_FOLDER) / "golden/policies"; }

struct PolicyCase {
  Json description;
  std::string name() const { return description.at("name").as_text(); }
  std::string model() const { return (policies() / (name() + ".keras")).string(); }
  NpzReader numbers() const { return NpzReader(policies() / (name() + ".npz")); }
  // How far Keras' own trainings are from the compiled one, number by number.
  std::vector<double> distances(const char* what) const {
    const Json::Array& eager = description.at("from_eager").at(what).as_array();
    const Json::Array& float32 = description.at("from_float32").at(what).as_array();
    std::vector<double> all;
    for (size_t i = 0; i < eager.size(); ++i)
      all.push_back(std::max(eager[i].as_number(), float32[i].as_number()));
    return all;
  }
};

void PrintTo(const PolicyCase& each, std::ostream* out) { *out << each.name(); }

std::vector<PolicyCase> all_cases() {
  std::vector<PolicyCase> all;
  Json descriptions = trainings_in(policies());
  for (const Json& each : descriptions.as_array()) all.push_back({each});
  return all;
}

struct Outcome {
  Tensor before;
  std::vector<double> step_losses;
  std::vector<Tensor> weights;
};

Outcome train(const PolicyCase& each, Backend& backend) {
  NpzReader file(policies() / "data.npz");
  Dataset data;
  data.inputs.push_back({"", file.read("input")});
  data.targets.push_back({"", file.read("target")});
  SavedModel saved = load_model_file(each.model(), "");
  Trainer trainer(*saved.model, *saved.compile, backend,
                  {.batch = each.description.at("batch").as_integer()});
  Outcome outcome;
  outcome.before = std::move(trainer.predict(rows(data, 0, 4)).at(0));
  trainer.fit(data, nullptr,
              {.epochs = each.description.at("epochs").as_integer(),
               .shuffle = false,
               .step_loss = [&](double loss) { outcome.step_losses.push_back(loss); }});
  trainer.download();
  outcome.weights = weights_of(saved);
  return outcome;
}

void expect_losses(const Outcome& outcome, const PolicyCase& each) {
  double farthest = std::ranges::max(each.distances("step_losses"));
  Tensor expected = each.numbers().read("step_losses");
  ASSERT_EQ(outcome.step_losses.size(), expected.values<float>().size());
  for (size_t i = 0; i < outcome.step_losses.size(); ++i) {
    double loss = static_cast<double>(expected.values<float>()[i]);
    EXPECT_NEAR(outcome.step_losses[i], loss, as_far_as_keras * farthest * loss) << "step " << i;
  }
}

void expect_weights(const Outcome& outcome, const PolicyCase& each) {
  std::vector<double> distances = each.distances("weights");
  ASSERT_EQ(outcome.weights.size(), distances.size());
  for (size_t i = 0; i < distances.size(); ++i) {
    if (distances[i] > all_noise) continue;
    EXPECT_LT(
        relative_distance(outcome.weights[i], each.numbers().read(fmt::format("weight_{}", i))),
        std::max(least_distance, as_far_as_keras * distances[i]))
        << "weight " << i;
  }
}

class Policies : public testing::TestWithParam<PolicyCase> {};

void expect_like_keras(const Outcome& outcome, const PolicyCase& each) {
  EXPECT_EQ(outcome.before.dtype(), DType::float32);
  expect_losses(outcome, each);
  expect_weights(outcome, each);
}

TEST_P(Policies, OnTheCpuAreThoseOfKeras) {
  auto backend = make_backend("cpu", {.threads = 1});
  expect_like_keras(train(GetParam(), *backend), GetParam());
}

// Nearer to the eager prediction than half the way to that of float32.
void expect_every_operation_rounded(const Outcome& outcome, const PolicyCase& each) {
  NpzReader numbers = each.numbers();
  Tensor eager = numbers.read("eager_prediction_before");
  double from_float32 = relative_distance(numbers.read("float32_prediction_before"), eager);
  EXPECT_LT(relative_distance(outcome.before, eager), from_float32 / 2);
}

TEST_P(Policies, OnTheReferenceAreThoseOfKeras) {
  auto backend = make_backend("reference", {});
  Outcome outcome = train(GetParam(), *backend);
  expect_like_keras(outcome, GetParam());
  expect_every_operation_rounded(outcome, GetParam());
}

TEST_P(Policies, HaveTheSameBitsAtAnyNumberOfThreads) {
  auto one = make_backend("cpu", {.threads = 1}), three = make_backend("cpu", {.threads = 3});
  Outcome expected = train(GetParam(), *one), received = train(GetParam(), *three);
  EXPECT_EQ(received.step_losses, expected.step_losses);
  for (size_t i = 0; i < expected.weights.size(); ++i)
    EXPECT_TRUE(identical(received.weights[i], expected.weights[i])) << i;
}

TEST_P(Policies, AreReadAsKerasHasThem) {
  SavedModel saved = load_model_file(GetParam().model(), "");
  Json::Array names;
  for (const auto& layer : saved.model->layers()) names.emplace_back(layer->policy.name);
  EXPECT_EQ(Json(names), GetParam().description.at("policies"));
}

INSTANTIATE_TEST_SUITE_P(Keras, Policies, testing::ValuesIn(all_cases()),
                         [](const auto& each) { return each.param.name(); });

}  // namespace
}  // namespace hornbeam
