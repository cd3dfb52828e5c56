// Metrics over batches of 8, 8 and 3 samples through the trainer, against Keras
// (tests/golden/metrics), and the names under which they are logged.
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/backends.h"
#include "golden/cases.h"
#include "nn/made_models.h"
#include "train/trainer.h"

namespace hornbeam {
namespace {

// The same rows one after the other.
Tensor joined(const std::vector<Tensor>& parts) {
  Shape shape = parts[0].shape();
  shape[0] = 0;
  for (const Tensor& part : parts) shape[0] += part.shape()[0];
  Tensor whole(parts[0].dtype(), shape);
  std::byte* next = whole.data();
  for (const Tensor& part : parts) next = std::copy_n(part.data(), part.bytes(), next);
  return whole;
}

Tensor all_batches(const golden::Numbers& numbers, const std::string& name) {
  std::vector<Tensor> parts;
  for (int batch = 0; batch < 3; ++batch)
    parts.push_back(numbers["batch_" + std::to_string(batch) + "_" + name]);
  return joined(parts);
}

Dataset dataset_of(const golden::Numbers& numbers) {
  Dataset data;
  data.inputs.push_back({"", all_batches(numbers, "prediction")});
  data.targets.push_back({"", all_batches(numbers, "target")});
  if (numbers.contains("batch_0_sample_weight"))
    data.sample_weight = all_batches(numbers, "sample_weight");
  return data;
}

// A model that gives its input back.
std::shared_ptr<Model> identity(const Shape& batch) {
  Json::Array shape;
  for (int64_t extent : batch) shape.push_back(shape.empty() ? Json() : Json(extent));
  MadeModel make;
  TensorRef x = make.input("x", json_text(Json(shape)));
  return make.done({make.call("Activation", R"({"activation": "linear"})", {x})});
}

class MetricsOverBatches : public testing::TestWithParam<golden::Case> {};

TEST_P(MetricsOverBatches, HaveKerasRunningValues) {
  const Json& description = GetParam().description;
  golden::Numbers numbers(GetParam());
  Dataset data = dataset_of(numbers);
  bool sparse = description.at("class_name").as_text().starts_with("Sparse");
  CompileConfig config{.loss = sparse ? "sparse_categorical_crossentropy" : "mse"};
  Json list = Json::Array{description.at("metric")};
  (description.at("weighted").as_bool() ? config.weighted_metrics : config.metrics) = list;
  auto model = identity(data.inputs[0].tensor.shape());
  auto backend = make_backend("reference", {});
  Trainer trainer(*model, config, *backend, {.batch = 8});
  int64_t samples = 0;
  for (int64_t size : {8, 8, 3}) {
    std::string batch = "batch_" + std::to_string(samples / 8);
    samples += size;
    Logs logs = trainer.evaluate(rows(data, 0, samples));
    ASSERT_EQ(logs.size(), 2u);
    auto found =
        std::ranges::find(logs, description.at("log_name").as_text(), &Logs::value_type::first);
    ASSERT_NE(found, logs.end());
    EXPECT_NEAR(found->second, numbers[batch + "_result"].values<float>()[0], 1e-6) << batch;
  }
}

INSTANTIATE_TEST_SUITE_P(Keras, MetricsOverBatches, testing::ValuesIn(golden::cases("metrics")),
                         golden::test_name);

std::vector<std::string> log_names(const char* metrics, const char* weighted_metrics) {
  CompileConfig config{.loss = "mse",
                       .metrics = parse_json(metrics, ""),
                       .weighted_metrics = parse_json(weighted_metrics, "")};
  auto model = identity({1, 1});
  auto backend = make_backend("reference", {});
  Trainer trainer(*model, config, *backend, {});
  Dataset data;
  data.inputs.push_back({"", Tensor(DType::float32, {2, 1})});
  data.targets.push_back({"", Tensor(DType::float32, {2, 1})});
  data.sample_weight = Tensor(DType::float32, {2});
  std::vector<std::string> names;
  for (const auto& [name, value] : trainer.evaluate(data)) names.push_back(name);
  return names;
}

// Sorted; the names were read from Keras 3.15.
TEST(LogNames, TellMetricsOfTheSameNameApart) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(log_names(R"(["mae", "mse"])", "null"), (Names{"loss", "mae", "mse"}));
  EXPECT_EQ(log_names(R"(["mae", "mae"])", "null"), (Names{"loss", "mae", "mae_1"}));
  EXPECT_EQ(log_names(R"(["mae"])", R"(["mae", "mse"])"),
            (Names{"loss", "mae", "mse", "weighted_mae"}));
}

}  // namespace
}  // namespace hornbeam
