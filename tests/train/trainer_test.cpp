// Small trainings whose results can be said beforehand: from reports of faults in other programs,
// computed with Keras or by hand.
#include "train/trainer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "backends/backends.h"
#include "nn/made_models.h"

namespace hornbeam {
namespace {

using Floats = std::vector<float>;

Tensor column(const Floats& values) {
  return Tensor::of<float>({static_cast<int64_t>(values.size()), 1},
                           std::span<const float>(values));
}

Dataset dataset(Tensor input, Tensor target) {
  Dataset data;
  data.inputs.push_back({"", std::move(input)});
  data.targets.push_back({"", std::move(target)});
  return data;
}

CompileConfig compile(const std::string& optimizer, const std::string& loss,
                      const std::string& metrics = "null") {
  return {.optimizer = optimizer_by_name(parse_json(optimizer, "test"), "test"),
          .loss = parse_json(loss, "test"),
          .metrics = parse_json(metrics, "test")};
}

std::string sgd(double rate) {
  return R"({"class_name": "SGD", "config": {"learning_rate": )" + std::to_string(rate) + "}}";
}

// A model of one input and one layer.
std::shared_ptr<Model> single_layer(const std::string& batch_shape, std::shared_ptr<Layer> layer) {
  MadeModel make;
  TensorRef x = make.input("x", batch_shape);
  return make.done({make.call(std::move(layer), {x})});
}

// Dense(1) without bias; its weight for one column is `weight`.
std::shared_ptr<Model> line(float weight, const std::string& more = "") {
  auto model = single_layer(
      "[null, 1]",
      layer_of("Dense", R"({"name": "line", "units": 1, "use_bias": false)" + more + "}"));
  model->weights()[0].weight->value = column({weight});
  return model;
}

struct Fitted {
  Logs logs;       // of the last epoch
  Floats weights;  // all numbers of all weights
};

double log_of(const Logs& logs, const std::string& name) {
  for (const auto& [key, value] : logs)
    if (key == name) return value;
  ADD_FAILURE() << "there is no " << name;
  return NAN;
}

Fitted fit(Model& model, CompileConfig config, const Dataset& data, int64_t batch,
           const Dataset* validation = nullptr) {
  auto backend = make_backend("reference", {});
  Trainer trainer(model, std::move(config), *backend, {.batch = batch});
  History history = trainer.fit(data, validation, {.shuffle = false});
  trainer.download();
  Fitted fitted{history.epochs.back().logs, {}};
  for (const ModelWeight& each : model.weights())
    for (float value : each.weight->value.values<float>()) fitted.weights.push_back(value);
  return fitted;
}

Floats predict(Model& model, const Dataset& data) {
  auto backend = make_backend("reference", {});
  Trainer trainer(model, {}, *backend, {});
  Tensor result = std::move(trainer.predict(data).at(0));
  return Floats(result.values<float>().begin(), result.values<float>().end());
}

// --- batches and weights of samples ---

// Squared errors 10, 10 and 9 in batches of 2: the mean over samples, not over batches (9.5).
TEST(Loss, OfAnEpochIsTheMeanOverSamples) {  // case B25
  auto model = line(0);
  Dataset data = dataset(column({1, 1, 1}), column({std::sqrt(10.f), std::sqrt(10.f), 3}));
  Logs logs = fit(*model, compile(sgd(0), R"("mse")"), data, 2, &data).logs;
  EXPECT_NEAR(log_of(logs, "loss"), 29. / 3, 1e-5);
  EXPECT_NEAR(log_of(logs, "val_loss"), 29. / 3, 1e-5);
}

double weighted_loss(const Floats& sample_weight) {
  auto model = line(0);
  Dataset data = dataset(column({1, 1}), column({1, 2}));  // losses 1 and 4
  data.sample_weight = Tensor::of<float>({2}, std::span<const float>(sample_weight));
  return log_of(fit(*model, compile(sgd(0), R"("mse")"), data, 2).logs, "loss");
}

// (1 * 1 + 3 * 4) / 2: divided by the number of samples, not by the sum of the weights (3.25).
TEST(Loss, OfWeightedSamplesIsDividedByTheirNumber) {  // case B27
  EXPECT_NEAR(weighted_loss({1, 3}), 6.5, 1e-6);
  EXPECT_EQ(weighted_loss({0, 0}), 0);
}

struct Reduced {
  double loss, weight;
};

// One epoch at rate 0.1 over targets 1, 2, 3 with weights 1, 3, 2 in batches of 2, from weight 0.
Reduced reduced_by(const std::string& reduction) {
  auto model = line(0);
  Dataset data = dataset(column({1, 1, 1}), column({1, 2, 3}));
  data.sample_weight = Tensor::of<float>({3}, {1, 3, 2});
  std::string loss = R"({"class_name": "MeanSquaredError", "config": {"reduction": ")";
  Fitted fitted = fit(*model, compile(sgd(0.1), loss + reduction + "\"}}"), data, 2);
  return {log_of(fitted.logs, "loss"), fitted.weights[0]};
}

// sum: losses 1 + 3 * 4 = 13, weight 0.1 * 2 (1 + 3 * 2) = 1.4, then 2 * 1.6^2 = 5.12 and 2.04; the
// epoch's loss is (2 * 13 + 5.12) / 3. With weights as divisor: 13 / 4, 0.35, then 2.65^2 and 0.88.
// Keras 3.15 gives the same.
TEST(Loss, IsReducedAsItSays) {
  EXPECT_NEAR(reduced_by("sum").loss, 31.12 / 3, 1e-5);
  EXPECT_NEAR(reduced_by("sum").weight, 2.04, 1e-6);
  EXPECT_NEAR(reduced_by("mean_with_sample_weight").loss, 13.5225 / 3, 1e-5);
  EXPECT_NEAR(reduced_by("mean_with_sample_weight").weight, 0.88, 1e-6);
  EXPECT_NEAR(reduced_by("sum_over_batch_size").loss, 7.86, 1e-5);
  EXPECT_NEAR(reduced_by("sum_over_batch_size").weight, 1.62, 1e-6);
}

TEST(Targets, OfAnotherWidthAreRefused) {  // case B21
  auto model = single_layer("[null, 1]", layer_of("Dense", R"({"name": "pair", "units": 2})"));
  model->initialize(0);
  try {
    fit(*model, compile(sgd(0), R"("mse")"), dataset(column({1, 1}), column({1, 2})), 2);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code().name, "H205");
    EXPECT_EQ(error.parts().message,
              "a target of shape (1) does not fit MeanSquaredError of an output of shape (2)");
    EXPECT_EQ(error.parts().place, "pair");
  }
}

// --- penalties ---

const std::string l2 = R"(, "kernel_regularizer": {"class_name": "L2", "config": {"l2": 0.01}})";

// The loss is 0.01 * 2^2, its slope 2 * 0.01 * 2.
TEST(Penalties, AreInTheLossAndInTheGradient) {  // case B49
  auto model = line(2, l2);
  Fitted fitted = fit(*model, compile(sgd(1), R"("mse")"), dataset(column({0}), column({0})), 1);
  EXPECT_NEAR(log_of(fitted.logs, "loss"), 0.04, 1e-7);
  EXPECT_NEAR(fitted.weights[0], 1.96, 1e-6);
}

TEST(Penalties, OfFrozenLayersDoNotCount) {
  auto model = line(2, l2 + R"(, "trainable": false)");
  Fitted fitted = fit(*model, compile(sgd(1), R"("mse")"), dataset(column({0}), column({0})), 1);
  EXPECT_EQ(log_of(fitted.logs, "loss"), 0);
  EXPECT_EQ(fitted.weights, Floats{2});
}

// --- batch normalisation ---

// gamma, beta, moving mean and moving variance after one step at rate 0.
Floats normalized_weights(const std::string& config, const Floats& values) {
  auto model = single_layer("[null, 1]", layer_of("BatchNormalization", config));
  model->initialize(0);
  Dataset data = dataset(column(values), column(values));
  return fit(*model, compile(sgd(0), R"("mse")"), data, 8).weights;
}

void expect_near(const Floats& received, const Floats& expected) {
  ASSERT_EQ(received.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(received[i], expected[i], 1e-6) << i;
}

// The variance of 1, 2, 3, 4 is 1.25; with n - 1 it would be 1.6667.
TEST(BatchNormalization, MovesTowardsTheBiasedVariance) {  // case B07
  expect_near(normalized_weights(R"({"momentum": 0.0})", {1, 2, 3, 4}), {1, 0, 2.5, 1.25});
  expect_near(normalized_weights("{}", {1, 2, 3, 4}), {1, 0, 0.025f, 1.0025f});
  expect_near(normalized_weights("{}", {5}), {1, 0, 0.05f, 0.99f});
}

// All five samples of a step count alike, whatever the batch was said to be.
TEST(BatchNormalization, HasTheStatisticsOfTheWholeBatch) {  // case B45
  expect_near(normalized_weights(R"({"momentum": 0.0})", {1, 2, 3, 4, 10}), {1, 0, 4, 10});
}

// --- whole numbers as inputs ---

Tensor bytes(Shape shape, const std::vector<uint8_t>& values) {
  return Tensor::of<uint8_t>(std::move(shape), std::span<const uint8_t>(values));
}

TEST(Bytes, AreSummedAsRealNumbers) {  // case B55
  auto dense =
      single_layer("[null, 2]", layer_of("Dense", R"({"units": 1, "kernel_initializer": "ones"})"));
  dense->initialize(0);
  Dataset row;
  row.inputs.push_back({"", bytes({1, 2}, {200, 100})});
  EXPECT_EQ(predict(*dense, row), Floats{300});

  MadeModel make;
  TensorRef a = make.input("a", "[null, 1]"), b = make.input("b", "[null, 1]");
  auto sum = make.done({make.call("Add", "{}", {a, b})});
  Dataset pair;
  pair.inputs.push_back({"", bytes({1, 1}, {200})});
  pair.inputs.push_back({"", bytes({1, 1}, {100})});
  EXPECT_EQ(predict(*sum, pair), Floats{300});
}

TEST(Bytes, AreNormalizedAsRealNumbers) {  // case B55
  auto model = single_layer("[null, 1]", layer_of("BatchNormalization", R"({"momentum": 0.0})"));
  model->initialize(0);
  Dataset data = dataset(bytes({2, 1}, {200, 100}), column({0, 0}));
  expect_near(fit(*model, compile(sgd(0), R"("mse")"), data, 2).weights, {1, 0, 150, 2500});
}

}  // namespace
}  // namespace hornbeam
