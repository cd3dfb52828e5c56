// Values known from reports of faults in other programs, and from Keras, that a single look can
// check.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/interpret.h"
#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/padding.h"

namespace hornbeam {
namespace {

using Floats = std::vector<float>;

Tensor floats(Shape shape, const Floats& values) {
  return Tensor::of<float>(std::move(shape), std::span<const float>(values));
}

Tensor ramp(Shape shape, float first = 1) {
  Tensor tensor(DType::float32, std::move(shape));
  for (float& value : tensor.values<float>()) value = first++;
  return tensor;
}

Tensor ones(Shape shape) {
  Tensor tensor(DType::float32, std::move(shape));
  for (float& value : tensor.values<float>()) value = 1;
  return tensor;
}

// The only result of a function of constants.
Tensor value_of(const std::function<Expr(Builder&)>& function) {
  Builder build;
  build.output("y", function(build));
  return std::move(interpret(build.finish(), {})[0]);
}

void expect_near(const Tensor& received, const Floats& expected, double tolerance = 1e-6) {
  ASSERT_EQ(received.elements(), static_cast<int64_t>(expected.size()));
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(received.values<float>()[i], expected[i], tolerance) << "element " << i;
}

using Pads = std::pair<int64_t, int64_t>;

TEST(SamePadding, PutsTheOddCellAtTheEnd) {
  EXPECT_EQ(same_padding(4, 3, 2, 1), Pads(0, 1));
  EXPECT_EQ(same_padding(224, 7, 2, 1), Pads(2, 3));
  EXPECT_EQ(same_padding(225, 7, 2, 1), Pads(3, 3));
  EXPECT_EQ(same_padding(5, 4, 1, 1), Pads(1, 2));
  EXPECT_EQ(same_padding(5, 3, 1, 2), Pads(2, 2));
  EXPECT_EQ(same_padding(8, 1, 2, 1), Pads(0, 0));  // a window of 1 needs none
}

// A square picture of one channel under a kernel of one filter, padding 'same'.
Tensor same_conv(const Tensor& x, const Tensor& kernel, int64_t stride, int64_t dilation) {
  size_t spatial = static_cast<size_t>(x.shape().rank() - 2);
  auto [low, high] = same_padding(x.shape()[1], kernel.shape()[0], stride, dilation);
  ConvAttributes a{Integers(spatial, stride), Integers(spatial, low), Integers(spatial, high),
                   Integers(spatial, dilation)};
  return value_of([&](Builder& b) { return conv(constant(b, x), constant(b, kernel), a); });
}

TEST(Conv, SamePaddingIsNotSymmetric) {
  expect_near(same_conv(ramp({1, 4, 4, 1}), ones({3, 3, 1, 1}), 2, 1), {54, 45, 72, 54});
  expect_near(same_conv(ramp({1, 4, 4, 1}, 0), ramp({3, 3, 1, 1}, 0), 2, 1), {258, 186, 187, 113});
  expect_near(same_conv(ramp({1, 6, 1}), ones({3, 1, 1}), 2, 1), {6, 12, 11});
  expect_near(same_conv(ramp({1, 5, 1}), ones({4, 1, 1}), 1, 1), {6, 10, 14, 12, 9});
  expect_near(same_conv(ramp({1, 5, 1}), ones({3, 1, 1}), 1, 2), {4, 6, 9, 6, 8});
}

TEST(Conv, CausalPaddingLooksBackOnly) {
  ConvAttributes causal{{1}, {4}, {0}, {2}};
  Tensor y = value_of([&](Builder& b) {
    return conv(constant(b, ramp({1, 5, 1})), constant(b, ones({3, 1, 1})), causal);
  });
  expect_near(y, {1, 2, 4, 6, 9});
}

Tensor same_pool(const Tensor& x, Expr (*pool)(Expr, const PoolAttributes&), int64_t window,
                 int64_t stride) {
  size_t spatial = static_cast<size_t>(x.shape().rank() - 2);
  auto [low, high] = same_padding(x.shape()[1], window, stride, 1);
  PoolAttributes a{Integers(spatial, window), Integers(spatial, stride), Integers(spatial, low),
                   Integers(spatial, high)};
  return value_of([&](Builder& b) { return pool(constant(b, x), a); });
}

TEST(Pool, TheAverageNeverCountsPadding) {
  expect_near(same_pool(ones({1, 3, 3, 1}), average_pool, 3, 1), Floats(9, 1));
  Tensor spot(DType::float32, {1, 4, 4, 1});
  spot.values<float>()[2 * 4 + 1] = 1;
  const float sixth = 1.f / 6, ninth = 1.f / 9;
  expect_near(same_pool(spot, average_pool, 3, 1),
              {0, 0, 0, 0, sixth, ninth, ninth, 0, sixth, ninth, ninth, 0, .25f, sixth, sixth, 0});
  expect_near(same_pool(ramp({1, 5, 1}), average_pool, 2, 2), {1.5, 3.5, 5});
  Tensor square = ramp({1, 3, 3, 1}, 0);
  expect_near(same_pool(square, average_pool, 2, 2), {2, 3.5, 6.5, 8});
  expect_near(same_pool(square, average_pool, 3, 2), {2, 3, 5, 6});
  expect_near(same_pool(square, average_pool, 2, 1), {2, 3, 3.5, 5, 6, 6.5, 6.5, 7.5, 8});
  expect_near(same_pool(square, max_pool, 2, 2), {4, 5, 7, 8});
}

TEST(Pool, TheMaximumOfNegativeNumbersIsNotThePadding) {
  expect_near(same_pool(floats({1, 3, 1}, {-3, -2, -1}), max_pool, 2, 2), {-2, -1});
}

struct Normalized {
  Tensor y, mean, variance;
};

Normalized normalized(const Tensor& x, int32_t valid) {
  Builder build;
  Tensor gamma = ones({x.shape()[1]}), beta(DType::float32, {x.shape()[1]});
  BatchNormResult result =
      batch_norm_training(constant(build, x), constant(build, gamma), constant(build, beta),
                          constant(build, Tensor::scalar(valid)), 1, 1e-3);
  build.output("y", result.y);
  build.output("mean", result.mean);
  build.output("variance", result.variance);
  std::vector<Tensor> outputs = interpret(build.finish(), {});
  return {std::move(outputs[0]), std::move(outputs[1]), std::move(outputs[2])};
}

TEST(BatchNorm, TheVarianceIsBiased) {
  Normalized four = normalized(ramp({4, 1}), 4);
  expect_near(four.mean, {2.5});
  expect_near(four.variance, {1.25});
  expect_near(four.y, {-1.341104f, -0.447035f, 0.447035f, 1.341104f});
  expect_near(normalized(floats({3, 1}, {1, 3, 5}), 3).variance, {2.6666667f});
}

TEST(BatchNorm, OneSampleGivesZero) {
  Normalized one = normalized(floats({1, 1}, {7}), 1);
  expect_near(one.y, {0});
  expect_near(one.variance, {0});
}

TEST(BatchNorm, SamplesBeyondTheValidOnesDoNotCount) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  Normalized part = normalized(floats({6, 1}, {1, 2, 3, 4, nan, 1000}), 4);
  expect_near(part.mean, {2.5});
  expect_near(part.variance, {1.25});
  EXPECT_NEAR(part.y.values<float>()[3], 1.341104, 1e-6);
}

TEST(BatchNorm, NoValidSampleIsNotDividedByZero) {
  Normalized none = normalized(floats({2, 1}, {5, 6}), 0);
  expect_near(none.mean, {0});
  expect_near(none.variance, {0});
  for (float y : none.y.values<float>()) EXPECT_TRUE(std::isfinite(y));
}

// In bfloat16 the mean would be rounded to 1 and the variance be twice what it is.
TEST(BatchNorm, StatisticsOfBFloat16AreNotRoundedOnTheWay) {
  Tensor variance = value_of([](Builder& b) {
    Tensor x = floats({2, 1}, {1, 1 + 0x1p-7f}).converted(DType::bfloat16);
    Expr one = constant(b, ones({1}).converted(DType::bfloat16));
    Expr valid = constant(b, Tensor::scalar<int32_t>(2));
    return convert(batch_norm_training(constant(b, x), one, one, valid, 1, 1e-3).variance,
                   DType::float32);
  });
  expect_near(variance, {0x1p-16f}, 0);
}

// dx, dgamma and dbeta for 4 samples of which `valid` are; the others are not numbers.
std::vector<Tensor> norm_gradients(int32_t valid) {
  Builder b;
  Tensor x = floats({4, 1}, {1, 2, 4, 8}), dy = floats({4, 1}, {1, -1, 2, 3});
  for (size_t i = static_cast<size_t>(valid); i < 4; ++i)
    x.values<float>()[i] = dy.values<float>()[i] = NAN;
  Expr gamma = constant(b, floats({1}, {2})), mean = constant(b, floats({1}, {1.5})),
       variance = constant(b, floats({1}, {0.25}));
  BatchNormGradient g =
      batch_norm_gradient(constant(b, x), gamma, mean, variance, constant(b, Tensor::scalar(valid)),
                          constant(b, dy), 1, 0);
  b.output("x", g.x);
  b.output("gamma", g.gamma);
  b.output("beta", g.beta);
  return interpret(b.finish(), {});
}

// Samples 1 and 2 have mean 1.5 and variance 0.25, so their normalized values are -1 and 1: dgamma
// is -1 - 1, dbeta 1 - 1; of two samples nothing is left for dx.
TEST(BatchNorm, GradientsBeyondTheValidSamplesDoNotCount) {
  std::vector<Tensor> two = norm_gradients(2);
  expect_near(two[0], {0, 0, 0, 0});
  expect_near(two[1], {-2});
  expect_near(two[2], {0});
  for (const Tensor& gradient : norm_gradients(0))
    expect_near(gradient, Floats(static_cast<size_t>(gradient.elements()), 0));
}

TEST(Softmax, RunsAlongTheAxisGiven) {
  Tensor x = ramp({1, 2, 3});
  Floats row{0.09003057f, 0.24472848f, 0.66524094f};
  Floats rows{row[0], row[1], row[2], row[0], row[1], row[2]};
  expect_near(value_of([&](Builder& b) { return softmax(constant(b, x), -1); }), rows);
  // Down the columns 1 is against 4, 2 against 5, 3 against 6: 1 / (1 + e^3).
  Floats columns(3, 0.04742587f);
  columns.insert(columns.end(), 3, 0.95257413f);
  expect_near(value_of([&](Builder& b) { return softmax(constant(b, x), 1); }), columns);
}

float loss_of(const std::function<Expr(Builder&)>& function) {
  return value_of(function).values<float>()[0];
}

float binary_loss(float target, float output) {
  return loss_of([&](Builder& b) {
    return binary_crossentropy(constant(b, floats({1, 1}, {target})),
                               constant(b, floats({1, 1}, {output})), false, 0);
  });
}

TEST(BinaryCrossentropy, ClipsOnce) {
  EXPECT_NEAR(binary_loss(1, 0), 16.118095, 1e-5);
  EXPECT_NEAR(binary_loss(0, 0.9999999f), 15.942385, 1e-5);
  EXPECT_NEAR(binary_loss(1, 0.9999999f), 1.192e-7, 1e-10);
  EXPECT_NEAR(binary_loss(0, 1e-7f), 1.192e-7, 1e-10);
}

TEST(SparseCategoricalCrossentropy, IsFiniteForLargeLogits) {
  EXPECT_EQ(loss_of([&](Builder& b) {
              return sparse_categorical_crossentropy(constant(b, Tensor::of<int32_t>({1}, {1})),
                                                     constant(b, floats({1, 2}, {1000, 0})), true);
            }),
            1000);
}

// Means over the samples, computed by Keras 3.
TEST(Losses, HaveTheValuesOfKeras) {
  Tensor one_hot_target = floats({2, 3}, {0, 1, 0, 1, 0, 0});
  Tensor p = floats({2, 3}, {.1f, .7f, .2f, .5f, .25f, .25f});
  Tensor logits = floats({2, 3}, {1, 2, -1, .5f, 0, .5f});
  Tensor many = floats({2, 3}, {0, 1, 1, 1, 0, 1});
  Tensor classes = Tensor::of<int32_t>({2}, {1, 0});
  Tensor t2 = floats({2, 3}, {1, -1, 0, .5f, 1, -1}),
         p2 = floats({2, 3}, {1.5f, -2, .5f, 0, 3, -1});
  struct Row {
    Expr (*loss)(Expr target, Expr prediction);
    const Tensor &target, &prediction;
    double expected;
  };
  const Row rows[] = {
      {[](Expr a, Expr b) { return categorical_crossentropy(a, b, false, 0); }, one_hot_target, p,
       0.5249110},
      {[](Expr a, Expr b) { return categorical_crossentropy(a, b, false, 0.1); }, one_hot_target, p,
       0.6013272},
      {[](Expr a, Expr b) { return categorical_crossentropy(a, b, true, 0); }, one_hot_target,
       logits, 0.6535161},
      {[](Expr a, Expr b) { return sparse_categorical_crossentropy(a, b, false); }, classes, p,
       0.5249110},
      {[](Expr a, Expr b) { return binary_crossentropy(a, b, false, 0); }, many, p, 0.7397662},
      {[](Expr a, Expr b) { return binary_crossentropy(a, b, true, 0); }, many, logits, 0.7324587},
      {[](Expr a, Expr b) { return binary_crossentropy(a, b, false, 0.2); }, many, p, 0.7674033},
      {mean_squared_error, t2, p2, 0.9583333},
      {mean_absolute_error, t2, p2, 0.75},
  };
  for (const Row& row : rows) {
    float value = loss_of([&](Builder& b) {
      return mean(row.loss(constant(b, row.target), constant(b, row.prediction)), {0});
    });
    EXPECT_NEAR(value, row.expected, 1e-6) << "row " << &row - rows;
  }
}

TEST(Activations, HaveTheValuesOfKeras) {
  Tensor x = floats({7}, {-3, -1, -.25f, 0, .5f, 2, 4});
  struct Row {
    Expr (*activation)(Expr x);
    Floats expected;
  };
  const Row rows[] = {
      {relu, {0, 0, 0, 0, .5f, 2, 4}},
      {[](Expr e) { return leaky_relu(e); }, {-.6f, -.2f, -.05f, 0, .5f, 2, 4}},
      {[](Expr e) { return elu(e); }, {-.950213f, -.632121f, -.221199f, 0, .5f, 2, 4}},
      {selu, {-1.67057f, -1.11133f, -.38889f, 0, .525351f, 2.1014f, 4.2028f}},
      {softplus, {.0485874f, .313262f, .575939f, .693147f, .974077f, 2.12693f, 4.01815f}},
      {silu, {-.142278f, -.268941f, -.109456f, 0, .31123f, 1.76159f, 3.92806f}},
      {[](Expr e) { return gelu(e); },
       {-.00404987f, -.158655f, -.100323f, 0, .345731f, 1.9545f, 3.99987f}},
      {mish, {-.145647f, -.303401f, -.129927f, 0, .375245f, 1.94396f, 3.99741f}},
      {hard_sigmoid, {0, .333333f, .458333f, .5f, .583333f, .833333f, 1}},
      {hard_silu, {0, -.333333f, -.114583f, 0, .291667f, 1.66667f, 4}},
      {[](Expr e) { return squareplus(e); },
       {.302776f, .618034f, .882782f, 1, 1.28078f, 2.41421f, 4.23607f}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(&row - rows);
    expect_near(value_of([&](Builder& b) { return row.activation(constant(b, x)); }), row.expected,
                1e-5);
  }
  Tensor y = value_of([&](Builder& b) { return softmax(constant(b, floats({3}, {1, 2, -1})), 0); });
  expect_near(y, {.2594965f, .7053846f, .035119f});
}

template <class T>
class DropoutOf : public testing::Test {};
using ElementTypes = testing::Types<float, double, BFloat16>;
TYPED_TEST_SUITE(DropoutOf, ElementTypes);

Tensor dropped(DType dtype, int64_t key, double rate) {
  return value_of([&](Builder& b) {
    Expr x = full(b, {dtype, {1000}}, 1);
    return convert(dropout(x, constant(b, Tensor::scalar(key)), rate), DType::float32);
  });
}

TYPED_TEST(DropoutOf, KeepsHalfAndDoublesIt) {
  Tensor y = dropped(dtype_of<TypeParam>, 1, 0.5);
  double sum = 0;
  for (float value : y.values<float>()) {
    EXPECT_TRUE(value == 0 || value == 2) << value;
    sum += value;
  }
  EXPECT_NEAR(sum / 1000, 1, 0.1);  // three standard deviations
  EXPECT_TRUE(identical(y, dropped(dtype_of<TypeParam>, 1, 0.5)));
  EXPECT_FALSE(identical(y, dropped(dtype_of<TypeParam>, 2, 0.5)));
  EXPECT_TRUE(identical(dropped(dtype_of<TypeParam>, 1, 0), ones({1000})));
  EXPECT_TRUE(identical(dropped(dtype_of<TypeParam>, 1, 1), Tensor(DType::float32, {1000})));
}

}  // namespace
}  // namespace hornbeam
