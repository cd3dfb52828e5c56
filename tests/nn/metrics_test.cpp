// Every metric against Keras: running values over batches of 8, 8 and 3 samples
// (tests/golden/metrics).
#include <gtest/gtest.h>

#include "golden/cases.h"
#include "nn/metric.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

constexpr int batches = 3;

struct BatchSums {
  double total = 0, count = 0;
};

BatchSums sums_of(const std::string& runner, const Json& form, const Tensor& target,
                  const Tensor& prediction, const std::optional<Tensor>& sample_weight) {
  Builder build;
  std::vector<Tensor> inputs{target, prediction};
  Expr y = build.input("target", {target.dtype(), target.shape()});
  Expr p = build.input("prediction", {prediction.dtype(), prediction.shape()});
  int64_t samples = prediction.shape()[0];
  SampleWeights weights{.real = full(build, {DType::float32, {samples}}, 1),
                        .samples = scalar(build, DType::float32, static_cast<double>(samples))};
  if (sample_weight) {
    weights.given = build.input("sample_weight", {DType::float32, {samples}});
    inputs.push_back(*sample_weight);
  }
  MetricPointer metric = metric_by_name(form, target.shape(), prediction.shape(), "test");
  MetricSums sums = metric_sums(metric->values(y, p), weights);
  build.output("total", sums.total);
  build.output("count", sums.count);
  std::vector<Tensor> results = golden::run(runner, build.finish(), inputs);
  return {results[0].values<float>()[0], results[1].values<float>()[0]};
}

class Metrics : public testing::TestWithParam<golden::Case> {};

TEST_P(Metrics, RunAsKeras) {
  golden::Numbers numbers(GetParam());
  for (const std::string& runner : golden::runners()) {
    BatchSums running;
    for (int batch = 0; batch < batches; ++batch) {
      std::string name = "batch_" + std::to_string(batch);
      std::optional<Tensor> sample_weight;
      if (numbers.contains(name + "_sample_weight"))
        sample_weight = numbers[name + "_sample_weight"];
      BatchSums sums =
          sums_of(runner, GetParam().description.at("metric"), numbers[name + "_target"],
                  numbers[name + "_prediction"], sample_weight);
      running.total += sums.total;
      running.count += sums.count;
      float expected = numbers[name + "_result"].values<float>()[0];
      EXPECT_NEAR(running.total / running.count, expected, 1e-6) << runner << ", " << name;
    }
  }
}

TEST_P(Metrics, AreNamedAsInKeras) {
  const Json& description = GetParam().description;
  MetricPointer metric =
      metric_by_name(description.at("metric"), golden::shape_of(description.at("target_shape")),
                     golden::shape_of(description.at("prediction_shape")), "test");
  EXPECT_EQ(metric->class_name(), description.at("class_name").as_text());
  EXPECT_EQ(metric->name, description.at("log_name").as_text());
  if (description.at("metric").is_object())
    golden::expect_part_of(object_json(*metric, metrics().module), description.at("metric"),
                           GetParam().name);
}

INSTANTIATE_TEST_SUITE_P(Keras, Metrics, testing::ValuesIn(golden::cases("metrics")),
                         golden::test_name);

TEST(MetricTable, HasACaseForEveryEntry) {
  for (const auto& row : metrics().rows) {
    bool found = false;
    for (const golden::Case& each : golden::cases("metrics"))
      found |= each.description.at("class_name").as_text() == row.class_name;
    EXPECT_TRUE(found) << row.class_name;
  }
}

TEST(Accuracy, IsResolvedByShapesAsInKeras) {
  const Json table = golden::read_json("metrics/accuracy.json");
  for (const Json& row : table.as_array()) {
    MetricPointer metric = metric_by_name("accuracy", golden::shape_of(row.at("target_shape")),
                                          golden::shape_of(row.at("prediction_shape")), "test");
    EXPECT_EQ(metric->class_name(), row.at("class_name").as_text()) << json_text(row);
    EXPECT_EQ(metric->name, "accuracy");
  }
}

}  // namespace
}  // namespace hornbeam
