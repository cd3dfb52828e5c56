// Every optimizer against Keras: five steps over three tensors (tests/golden/optimizers).
#include <gtest/gtest.h>

#include "golden/cases.h"
#include "keras/weight_paths.h"
#include "nn/optimizer.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

const Json& optimizer_of(const golden::Case& golden) { return golden.description.at("optimizer"); }

// What a step takes and gives: weights, then the slots of each, then gradients and numbers.
struct State {
  std::vector<Tensor> weights;
  OptimizerState optimizer;

  std::vector<Tensor> inputs(const std::vector<Tensor>& gradients, double rate) const {
    std::vector<Tensor> all = weights;
    for (const auto& slots : optimizer.slots) all.insert(all.end(), slots.begin(), slots.end());
    all.insert(all.end(), gradients.begin(), gradients.end());
    all.push_back(Tensor::scalar(static_cast<float>(rate)));
    all.push_back(Tensor::scalar(static_cast<float>(optimizer.iteration + 1)));
    return all;
  }

  void take(const std::vector<Tensor>& outputs) {
    size_t next = 0;
    for (Tensor& weight : weights) weight = outputs[next++];
    for (auto& slots : optimizer.slots)
      for (Tensor& slot : slots) slot = outputs[next++];
    ++optimizer.iteration;
  }
};

State fresh(const Optimizer& optimizer, const golden::Numbers& inputs) {
  State state{inputs.list("weight"), {}};
  for (const Tensor& weight : state.weights)
    state.optimizer.slots.emplace_back(optimizer.slots().size(),
                                       Tensor(DType::float32, weight.shape()));
  return state;
}

// Inputs and outputs in the order of State.
Graph step_of(const Optimizer& optimizer, const State& state) {
  Builder build;
  size_t number = 0;
  auto input = [&](const Shape& shape) {
    return build.input("input_" + std::to_string(number++), {DType::float32, shape});
  };
  std::vector<Trained> trained;
  for (const Tensor& weight : state.weights) trained.push_back({input(weight.shape()), {}, {}});
  for (Trained& each : trained)
    for (size_t i = 0; i < optimizer.slots().size(); ++i)
      each.slots.push_back(input(each.weight.shape()));
  for (Trained& each : trained) each.gradient = input(each.weight.shape());
  Expr rate = input({}), iteration = input({});
  trained = optimizer.apply(std::move(trained), rate, iteration);
  auto output = [&](Expr value) { build.output("output_" + std::to_string(number++), value); };
  for (const Trained& each : trained) output(each.weight);
  for (const Trained& each : trained)
    for (const Expr& slot : each.slots) output(slot);
  return build.finish();
}

class Optimizers : public testing::TestWithParam<golden::Case> {
 protected:
  bool supported() const { return !optimizer_of(GetParam()).at("config").at("use_ema").as_bool(); }
};

TEST_P(Optimizers, StepAsKeras) {
  if (!supported()) GTEST_SKIP() << "use_ema is refused, see the tests of settings";
  golden::Numbers inputs("optimizers", "inputs"), expected(GetParam());
  OptimizerPointer optimizer = optimizer_by_name(optimizer_of(GetParam()), "test");
  for (const std::string& runner : golden::runners()) {
    State state = fresh(*optimizer, inputs);
    Graph graph = step_of(*optimizer, state);
    for (int step = 0; step < 5; ++step) {
      std::string name = "step_" + std::to_string(step);
      state.take(golden::run(
          runner, graph, state.inputs(inputs.list(name + "_gradient"), optimizer->learning_rate)));
      std::vector<Tensor> weights = expected.list(name + "_weight");
      for (size_t i = 0; i < weights.size(); ++i)
        golden::expect_close(state.weights[i], weights[i], runner + ", " + name, {1e-6, 1e-6});
    }
    // Keras keeps the iteration and the rate before the slots.
    std::vector<Tensor> variables = expected.list("optimizer");
    std::vector<Tensor*> slots = stored_slots(*optimizer, state.optimizer);
    ASSERT_EQ(slots.size() + 2, variables.size());
    for (size_t i = 0; i < slots.size(); ++i)
      golden::expect_close(*slots[i], variables[i + 2], runner + ", slot", {1e-6, 1e-6});
  }
}

TEST_P(Optimizers, WriteWhatKerasWrites) {
  if (!supported()) GTEST_SKIP() << "use_ema is refused, see the tests of settings";
  OptimizerPointer optimizer = optimizer_by_name(optimizer_of(GetParam()), "test");
  Json written = object_json(*optimizer, optimizers().module);
  golden::expect_part_of(written, optimizer_of(GetParam()), GetParam().name);
  OptimizerPointer again = optimizer_by_name(written, "test");
  EXPECT_EQ(json_text(config_of(*again)), json_text(written.at("config")));
}

INSTANTIATE_TEST_SUITE_P(Keras, Optimizers, testing::ValuesIn(golden::cases("optimizers")),
                         golden::test_name);

TEST(OptimizerTable, HasACaseForEveryEntry) {
  for (const auto& row : optimizers().rows)
    EXPECT_TRUE(golden::has_case("optimizers", "optimizer", row.class_name)) << row.class_name;
}

// --- clipping of the gradients [3, 4] and [6, 8] at rate 1, computed with Keras (case B47) ---

using Pair = std::vector<float>;

std::vector<Pair> clipped(const std::string& setting) {
  OptimizerPointer sgd = optimizer_by_name(
      parse_json(R"({"class_name": "SGD", "config": {"learning_rate": 1.0, )" + setting + "}}", ""),
      "test");
  Tensor zero(DType::float32, {2});
  State state{{zero, zero}, {.slots = {{}, {}}}};
  std::vector<Tensor> gradients{Tensor::of<float>({2}, {3, 4}), Tensor::of<float>({2}, {6, 8})};
  std::vector<Pair> steps;
  for (const Tensor& weight :
       golden::run("interpreter", step_of(*sgd, state), state.inputs(gradients, 1)))
    steps.push_back({-weight.values<float>()[0], -weight.values<float>()[1]});
  return steps;
}

void expect_steps(const std::string& setting, const std::vector<Pair>& expected) {
  std::vector<Pair> received = clipped(setting);
  for (size_t i = 0; i < expected.size(); ++i)
    for (size_t j = 0; j < 2; ++j) EXPECT_NEAR(received[i][j], expected[i][j], 1e-6) << setting;
}

TEST(Clipping, IsPerTensorOrOverAllOrPerNumber) {
  expect_steps(R"("clipnorm": 1.0)", {{.6f, .8f}, {.6f, .8f}});
  expect_steps(R"("global_clipnorm": 1.0)", {{.268328f, .357771f}, {.536656f, .715542f}});
  expect_steps(R"("clipvalue": 5.0)", {{3, 4}, {5, 5}});
}

}  // namespace
}  // namespace hornbeam
