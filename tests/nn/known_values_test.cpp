// Values of single layers that can be checked at a glance.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "golden/cases.h"
#include "nn/made_models.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

using Floats = std::vector<float>;

// The output for constant inputs, in training at step `step` or in inference.
Tensor output_of(Layer& layer, const std::vector<Tensor>& inputs,
                 std::optional<int64_t> step = {}) {
  Builder build;
  Trace trace(build, step.has_value());
  if (step) trace.step_key = build.constant(Tensor::scalar(*step));
  Exprs x;
  for (const Tensor& input : inputs) x.push_back(build.constant(input));
  build.output("y", layer.call(trace, x).at(0));
  return std::move(golden::run("interpreter", build.finish(), {}).at(0));
}

void expect_output(std::string_view class_name, const std::string& config,
                   const std::vector<Tensor>& inputs, const Floats& expected) {
  Tensor received = output_of(*layer_of(class_name, config), inputs);
  golden::expect_close(received, Tensor::of<float>(received.shape(), std::span(expected)),
                       std::string(class_name) + " " + config, {0, 1e-6});
}

Tensor row(const Floats& values) {
  return Tensor::of<float>({1, static_cast<int64_t>(values.size())}, std::span(values));
}

TEST(Softmax, IsOverTheLastAxisUnlessToldOtherwise) {  // case B09, with Keras
  Tensor x = Tensor::of<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6});
  Floats rows{0.09003057f, 0.24472848f, 0.66524094f, 0.09003057f, 0.24472848f, 0.66524094f};
  expect_output("Activation", R"({"activation": "softmax"})", {x}, rows);
  expect_output("Softmax", "{}", {x}, rows);
  // Down each column: 1 / (1 + e^3) and its rest.
  expect_output("Softmax", R"({"axis": 1})", {x},
                {0.04742587f, 0.04742587f, 0.04742587f, 0.95257413f, 0.95257413f, 0.95257413f});
}

// A number at the threshold is not above it. With Keras.
TEST(ReLU, StartsAboveItsThreshold) {
  expect_output("ReLU", R"({"threshold": 1.0, "negative_slope": 0.5})", {row({0, 1, 2})},
                {-0.5, 0, 2});
  expect_output("ReLU", R"({"threshold": 2.0, "max_value": 1.0})", {row({0, 1, 2, 3})},
                {0, 0, 0, 1});
  expect_output("ReLU", R"({"negative_slope": 0.5, "max_value": 1.0})", {row({-2, 0, 1, 3})},
                {-1, 0, 1, 1});
}

// clip(0.2 x + 0.5, 0, 1), as hard_sigmoid was before Keras 3.
TEST(LegacyHardSigmoid, IsThatOfKeras2) {
  expect_output("Activation", R"({"activation": "legacy_hard_sigmoid"})",
                {row({-3, -1, -0.25, 0, 0.5, 2, 4})}, {0, 0.3f, 0.45f, 0.5f, 0.6f, 0.9f, 1});
}

TEST(Merges, TakeASingleInput) {
  for (const char* name : {"Add", "Multiply", "Average", "Maximum", "Minimum", "Concatenate"})
    expect_output(name, "{}", {row({1, 2})}, {1, 2});
  EXPECT_THROW(output_of(*layer_of("Subtract", "{}"), {row({1, 2})}), Error);
}

// --- Dropout (case B41) ---

size_t count_of(const Tensor& tensor, float value) {
  return static_cast<size_t>(std::ranges::count(tensor.values<float>(), value));
}

TEST(Dropout, KeepsHalfAndDoublesIt) {
  auto layer = layer_of("Dropout", R"({"rate": 0.5})");
  Tensor ones = row(Floats(1000, 1));
  Tensor first = output_of(*layer, {ones}, 0);
  EXPECT_EQ(count_of(first, 0) + count_of(first, 2), 1000u);
  EXPECT_NEAR(static_cast<double>(count_of(first, 2)), 500, 5 * std::sqrt(250.));
  EXPECT_TRUE(identical(first, output_of(*layer, {ones}, 0)));
  EXPECT_FALSE(identical(first, output_of(*layer, {ones}, 1)));
  EXPECT_TRUE(identical(ones, output_of(*layer, {ones})));
}

TEST(Dropout, DropsEverythingAtRateOne) {
  Tensor result = output_of(*layer_of("Dropout", R"({"rate": 1.0})"), {row({1, 2, 3})}, 0);
  EXPECT_EQ(count_of(result, 0), 3u);
}

TEST(Dropout, DropsOtherNumbersInEachLayer) {
  MadeModel make;
  TensorRef x = make.input("x", "[null, 100]");
  TensorRef a = make.call("Dropout", R"({"name": "a", "rate": 0.5})", {x});
  TensorRef b = make.call("Dropout", R"({"name": "b", "rate": 0.5})", {x});
  auto model = make.done({make.call("Subtract", "{}", {a, b})});
  Tensor difference = output_of(*model, {row(Floats(100, 1))}, 0);
  EXPECT_LT(count_of(difference, 0), 90u);
}

}  // namespace
}  // namespace hornbeam
