#include "data/made.h"

#include <array>

#include "refusals.h"

namespace hornbeam {
namespace {

TEST(MadeImages, DependOnTheSeedAlone) {
  Dataset a = made_images(20, 10, 1), b = made_images(30, 10, 1), c = made_images(20, 10, 2);
  EXPECT_TRUE(identical(a.inputs[0].tensor, rows(b, 0, 20).inputs[0].tensor));
  EXPECT_FALSE(identical(a.inputs[0].tensor, c.inputs[0].tensor));
  EXPECT_EQ(a.name, "made data");
}

TEST(MadeImages, AreShapedAndLabelledLikeCifar) {
  Dataset data = made_images(25, 10, 0);
  check_dataset(data);
  EXPECT_EQ(data.inputs[0].tensor.shape(), (Shape{25, 32, 32, 3}));
  EXPECT_EQ(data.targets[0].tensor.shape(), (Shape{25, 1}));
  std::array<int, 10> counts{};
  for (uint8_t label : data.targets[0].tensor.values<uint8_t>()) ++counts.at(label);
  for (int count : counts) EXPECT_TRUE(count == 2 || count == 3);
  expect_error("H302", {"0 pictures"}, [] { made_images(0, 10, 0); });
  expect_error("H302", {"101 classes"}, [] { made_images(10, 101, 0); });
}

// A picture is closest in colour to the mean picture of its own class far more often than by luck:
// there is something to learn.
TEST(MadeImages, CanBeLearned) {
  Dataset data = made_images(400, 4, 3);
  auto pictures = std::as_const(data).inputs[0].tensor.values<uint8_t>();
  // Correlation of the three channels' contrast: the share of each channel in the variance.
  auto features = [&](int64_t i) {
    std::array<double, 3> sum{}, squares{};
    for (int64_t p = 0; p < 1024; ++p)
      for (int64_t c = 0; c < 3; ++c) {
        double value = pictures[(i * 1024 + p) * 3 + c];
        sum[c] += value;
        squares[c] += value * value;
      }
    std::array<double, 3> variance{};
    for (int64_t c = 0; c < 3; ++c)
      variance[c] = squares[c] / 1024 - sum[c] / 1024 * sum[c] / 1024 - 300;  // less the noise
    double all = variance[0] + variance[1] + variance[2];
    for (double& v : variance) v /= all;
    return variance;
  };
  std::array<std::array<double, 3>, 4> means{};
  for (int64_t i = 0; i < 200; ++i)
    for (int64_t c = 0; c < 3; ++c) means[i % 4][c] += features(i)[c] / 50;
  int right = 0;
  for (int64_t i = 200; i < 400; ++i) {
    auto distance = [&](int64_t label) {
      double total = 0;
      for (int64_t c = 0; c < 3; ++c) {
        double d = features(i)[c] - means[label][c];
        total += d * d;
      }
      return total;
    };
    int64_t best = 0;
    for (int64_t label = 1; label < 4; ++label)
      if (distance(label) < distance(best)) best = label;
    right += best == i % 4;
  }
  EXPECT_GT(right, 150);
}

}  // namespace
}  // namespace hornbeam
