// Every loss against Keras: one value a sample, the loss of the batch and its gradient
// (tests/golden/losses).
#include <gtest/gtest.h>

#include "golden/cases.h"
#include "nn/loss.h"
#include "ops/gradients.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

const Json& loss_of(const golden::Case& golden) { return golden.description.at("loss"); }

// The whole batch as one slice.
SampleWeights all_count(Builder& build, int64_t samples) {
  return {.real = full(build, {DType::float32, {samples}}, 1),
          .samples = scalar(build, DType::float32, static_cast<double>(samples))};
}

// The inputs of the graph with their names in the file.
struct LossGraph {
  Graph graph;
  std::vector<Tensor> inputs;
};

LossGraph loss_graph(const Loss& loss, const golden::Numbers& numbers) {
  LossGraph result;
  Builder build(true);
  auto input = [&](const std::string& name) {
    result.inputs.push_back(numbers[name]);
    return build.input(name, {result.inputs.back().dtype(), result.inputs.back().shape()});
  };
  Expr target = input("target"), prediction = input("prediction");
  SampleWeights weights = all_count(build, prediction.shape()[0]);
  if (numbers.contains("sample_weight")) weights.given = input("sample_weight");
  Expr fitted = fitted_target(loss, target, prediction, "output");
  Expr values = loss.values(fitted, prediction);
  Expr total = reduced_loss(loss, values, fitted, weights);
  build.output("unreduced_loss", values);
  build.output("loss", total);
  build.output("prediction_gradient", gradients(total, std::array{prediction})[0]);
  result.graph = build.finish();
  return result;
}

class Losses : public testing::TestWithParam<golden::Case> {};

TEST_P(Losses, ComputeWhatKerasComputes) {
  golden::Numbers numbers(GetParam());
  LossGraph traced = loss_graph(*loss_by_name(loss_of(GetParam()), "test"), numbers);
  for (const std::string& runner : golden::runners()) {
    std::vector<Tensor> results = golden::run(runner, traced.graph, traced.inputs);
    for (size_t i = 0; i < results.size(); ++i) {
      const std::string& name = traced.graph.outputs()[i].name;
      golden::expect_close(results[i], numbers[name], runner + ", " + name, {1e-5, 1e-6});
    }
  }
}

TEST_P(Losses, WriteWhatKerasWrites) {
  Json written = object_json(*loss_by_name(loss_of(GetParam()), "test"), losses().module);
  golden::expect_part_of(written, loss_of(GetParam()), GetParam().name);
  LossPointer again = loss_by_name(written, "test");
  EXPECT_EQ(json_text(config_of(*again)), json_text(written.at("config")));
}

INSTANTIATE_TEST_SUITE_P(Keras, Losses, testing::ValuesIn(golden::cases("losses")),
                         golden::test_name);

TEST(LossTable, HasACaseForEveryEntry) {
  for (const auto& row : losses().rows)
    EXPECT_TRUE(golden::has_case("losses", "loss", row.class_name)) << row.class_name;
}

}  // namespace
}  // namespace hornbeam
