// Initializers: means, variances and bounds by Keras' formulas; one seed, one result.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "golden/cases.h"
#include "nn/initializer.h"
#include "nn/made_models.h"

namespace hornbeam {
namespace {

std::unique_ptr<Initializer> read(const std::string& class_name, const std::string& config) {
  Json object = Json::object({{"class_name", class_name}, {"config", parse_json(config, "test")}});
  return read_object(initializers(), object, "test");
}

TEST(Fans, CountWhatAWeightConnects) {
  auto expect = [](const Shape& shape, double in, double out) {
    EXPECT_EQ(fans_of(shape).in, in) << to_string(shape);
    EXPECT_EQ(fans_of(shape).out, out) << to_string(shape);
  };
  expect({}, 1, 1);
  expect({5}, 5, 5);
  expect({7, 3}, 7, 3);
  expect({3, 3, 4, 8}, 9 * 4, 9 * 8);  // a kernel sees 9 pixels of each channel
  expect({5, 2, 6}, 5 * 2, 5 * 6);
}

// What the numbers of one weight must look like. `bound` is the largest distance from the mean.
struct Statistics {
  const char* name;
  const char* class_name;
  const char* config;
  Shape shape;
  double mean, variance, bound;
};
void PrintTo(const Statistics& statistics, std::ostream* out) { *out << statistics.name; }

constexpr double infinity = std::numeric_limits<double>::infinity();
// A normal distribution cut at two standard deviations has this standard deviation and variance.
constexpr double cut = 0.87962566103423978;
constexpr double cut_variance = cut * cut;

const Shape dense{128, 64};      // fans 128 and 64, their mean 96
const Shape conv{3, 3, 16, 48};  // fans 144 and 432, their mean 288

const Statistics statistics[] = {
    {"zeros", "Zeros", "{}", dense, 0, 0, 0},
    {"ones", "Ones", "{}", dense, 1, 0, 0},
    {"constant", "Constant", R"({"value": -2.5})", dense, -2.5, 0, 0},
    // Uniform numbers from -b to b have the variance b^2 / 3.
    {"uniform", "RandomUniform", "{}", dense, 0, 0.05 * 0.05 / 3, 0.05},
    {"uniform_range", "RandomUniform", R"({"minval": 1.0, "maxval": 4.0})", dense, 2.5, 0.75, 1.5},
    {"normal", "RandomNormal", "{}", dense, 0, 0.0025, infinity},
    {"normal_moved", "RandomNormal", R"({"mean": 3.0, "stddev": 2.0})", dense, 3, 4, infinity},
    {"truncated", "TruncatedNormal", "{}", dense, 0, 0.0025 * cut_variance, 0.1},
    {"truncated_moved", "TruncatedNormal", R"({"mean": 3.0, "stddev": 2.0})", dense, 3,
     4 * cut_variance, 4},
    // Variance scale / fan; for uniform numbers the bound is sqrt(3 scale / fan).
    {"glorot_uniform", "GlorotUniform", "{}", dense, 0, 1. / 96, std::sqrt(3. / 96)},
    {"glorot_uniform_conv", "GlorotUniform", "{}", conv, 0, 1. / 288, std::sqrt(3. / 288)},
    {"glorot_normal", "GlorotNormal", "{}", dense, 0, 1. / 96, 2 / cut* std::sqrt(1. / 96)},
    {"he_uniform", "HeUniform", "{}", dense, 0, 2. / 128, std::sqrt(6. / 128)},
    {"he_normal", "HeNormal", "{}", dense, 0, 2. / 128, 2 / cut* std::sqrt(2. / 128)},
    {"he_normal_conv", "HeNormal", "{}", conv, 0, 2. / 144, 2 / cut* std::sqrt(2. / 144)},
    {"lecun_uniform", "LecunUniform", "{}", dense, 0, 1. / 128, std::sqrt(3. / 128)},
    {"lecun_normal", "LecunNormal", "{}", dense, 0, 1. / 128, 2 / cut* std::sqrt(1. / 128)},
    {"scaling", "VarianceScaling", "{}", dense, 0, 1. / 128, 2 / cut* std::sqrt(1. / 128)},
    {"scaling_fan_out", "VarianceScaling",
     R"({"scale": 3.0, "mode": "fan_out", "distribution": "uniform"})", dense, 0, 3. / 64,
     std::sqrt(9. / 64)},
    {"scaling_untruncated", "VarianceScaling",
     R"({"mode": "fan_avg", "distribution": "untruncated_normal"})", dense, 0, 1. / 96, infinity},
    {"scaling_normal", "VarianceScaling", R"({"distribution": "normal"})", dense, 0, 1. / 128,
     2 / cut* std::sqrt(1. / 128)},  // Keras 2's name of the truncated one
    // 64 orthonormal columns of 128 numbers: their squares add up to 64.
    {"orthogonal", "Orthogonal", "{}", dense, 0, 1. / 128, 1},
    // gain on the diagonal of a square.
    {"identity", "Identity", R"({"gain": 2.0})", {64, 64}, 1. / 32, 4. / 64 - 1. / 1024, 2},
};

class Initializers : public testing::TestWithParam<Statistics> {};

// The mean of n numbers may be off by 5 of its standard deviations, the variance by 5 / sqrt(n / 2)
// of itself.
TEST_P(Initializers, DrawWithTheRightStatistics) {
  const Statistics& expected = GetParam();
  Random random(7);
  Tensor tensor = read(expected.class_name, expected.config)->draw(expected.shape, random);
  ASSERT_EQ(tensor.shape(), expected.shape);
  double n = static_cast<double>(tensor.elements()), sum = 0, squares = 0, farthest = 0;
  for (float value : tensor.values<float>()) {
    double distance = value - expected.mean;
    sum += distance;
    squares += distance * distance;
    farthest = std::max(farthest, std::abs(distance));
  }
  EXPECT_NEAR(sum / n, 0, 5 * std::sqrt(expected.variance / n));
  EXPECT_NEAR(squares / n, expected.variance, 5 * std::sqrt(2 / n) * expected.variance);
  EXPECT_LE(farthest, expected.bound * (1 + 1e-6));
}

INSTANTIATE_TEST_SUITE_P(All, Initializers, testing::ValuesIn(statistics),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(InitializerTable, HasACaseForEveryEntry) {
  for (const auto& row : initializers().rows)
    EXPECT_TRUE(std::ranges::count(statistics, row.class_name, &Statistics::class_name))
        << row.class_name;
}

// The rows of a wide matrix, the columns of a tall one, times gain; a kernel is a matrix of its
// last axis by all others.
TEST(Orthogonal, MakesOrthogonalVectors) {
  for (const Shape& shape : {Shape{3, 5}, Shape{5, 3}, Shape{4, 4}, Shape{2, 3, 4}}) {
    Random random(1);
    Tensor tensor = read("Orthogonal", R"({"gain": 2.0})")->draw(shape, random);
    size_t columns = static_cast<size_t>(shape[shape.rank() - 1]);
    size_t rows = static_cast<size_t>(shape.elements()) / columns;
    auto at = [&](size_t vector, size_t i) {
      size_t index = rows >= columns ? i * columns + vector : vector * columns + i;
      return static_cast<double>(tensor.values<float>()[index]);
    };
    for (size_t a = 0; a < std::min(rows, columns); ++a)
      for (size_t b = 0; b <= a; ++b) {
        double product = 0;
        for (size_t i = 0; i < std::max(rows, columns); ++i) product += at(a, i) * at(b, i);
        EXPECT_NEAR(product, a == b ? 4 : 0, 1e-5) << to_string(shape);
      }
  }
}

TEST(Identity, FillsTheDiagonal) {
  Random random(0);
  Tensor tensor = read("Identity", R"({"gain": 3.0})")->draw({2, 3}, random);
  EXPECT_TRUE(identical(tensor, Tensor::of<float>({2, 3}, {3, 0, 0, 0, 3, 0})));
}

// --- seeds ---

std::shared_ptr<Model> two_layers(uint64_t seed) {
  MadeModel make;
  TensorRef x = make.input("x", "[null, 8]");
  TensorRef y = make.call("Dense", R"({"name": "a", "units": 8, "use_bias": false})", {x});
  auto model =
      make.done({make.call("Dense", R"({"name": "b", "units": 8, "use_bias": false})", {y})});
  model->initialize(seed);
  return model;
}

TEST(Seeds, GiveOneResultEach) {
  auto value = [](uint64_t seed, size_t weight) {
    return two_layers(seed)->weights().at(weight).weight->value;
  };
  EXPECT_TRUE(identical(value(1, 0), value(1, 0)));
  EXPECT_TRUE(identical(value(1, 1), value(1, 1)));
  EXPECT_FALSE(identical(value(1, 0), value(2, 0)));
  EXPECT_FALSE(identical(value(1, 0), value(1, 1)));  // each weight has its own stream
}

TEST(Seeds, LeaveWeightsAloneThatHaveValues) {
  auto model = two_layers(1);
  Tensor before = model->weights()[0].weight->value;
  model->initialize(2);
  EXPECT_TRUE(identical(model->weights()[0].weight->value, before));
}

}  // namespace
}  // namespace hornbeam
