#include "data/dataset.h"

#include "refusals.h"

namespace hornbeam {
namespace {

// x is 0, 1, 2, … and y is 10, 11, 12, …
Dataset counting(int64_t samples) {
  Tensor x(DType::float32, {samples, 1});
  Tensor y(DType::int32, {samples});
  for (int64_t i = 0; i < samples; ++i) {
    x.values<float>()[i] = static_cast<float>(i);
    y.values<int32_t>()[i] = static_cast<int32_t>(10 + i);
  }
  Dataset data{.name = "counting"};
  data.inputs.push_back({"", x});
  data.targets.push_back({"", y});
  data.sample_weight = x.reshaped({samples});
  return data;
}

TEST(Dataset, RefusesEmptyDataAtOnce) {  // case B31
  expect_error("H203", {"no samples", "counting"}, [] { check_dataset(counting(0)); });
  expect_error("H203", {}, [] { check_dataset(Dataset{}); });
  expect_error("H203", {"a validation split of 0.5 of 1 sample leaves nothing to train on"},
               [] { validation_split(counting(1), 0.5); });
  expect_error("H203", {"a validation split of 0.01 of 1 sample leaves nothing to train on"},
               [] { validation_split(counting(1), 0.01); });
}

TEST(Dataset, RefusesDifferentLengthsNamingBoth) {  // case B53
  Dataset data = counting(3);
  data.targets[0].tensor = Tensor(DType::int32, {2});
  expect_error("H207", {"x (the inputs) has 3 samples, but y (the targets) has 2", "counting"},
               [&] { check_dataset(data); });
  data.inputs[0].name = "image";
  data.targets[0].name = "class";
  expect_error("H207", {"input 'image' has 3 samples, but target 'class' has 2"},
               [&] { check_dataset(data); });
  data = counting(3);
  data.sample_weight = Tensor(DType::float32, {4});
  expect_error("H207", {"sample_weight has 4"}, [&] { check_dataset(data); });
}

TEST(Dataset, RefusesSingleNumbers) {
  Dataset data = counting(3);
  data.targets[0].tensor = Tensor::scalar(1.0f);
  expect_error("H205", {"y (the targets) is a single number"}, [&] { check_dataset(data); });
}

// int(floor(n * (1 - split))) in double, computed with Python: 0.1 of 10 cuts at 9, 0.7 of 10 at 3
// (10 * (1 - 0.7) is 3.0000000000000004), 0.9 of 10 at 0 (10 * (1 - 0.9) is 0.9999999999999998).
TEST(ValidationSplit, CutsWhereKerasDoes) {
  struct Case {
    int64_t samples;
    double fraction;
    int64_t cut;
  };
  for (Case c : {Case{10, 0.1, 9}, Case{10, 0.2, 8}, Case{10, 0.7, 3}, Case{5, 0.5, 2},
                 Case{50000, 0.2, 40000}, Case{3, 0.333, 2}, Case{100, 0.29, 71}}) {
    Split split = validation_split(counting(c.samples), c.fraction);
    EXPECT_EQ(split.training.samples(), c.cut) << c.samples << " " << c.fraction;
    EXPECT_EQ(split.validation.samples(), c.samples - c.cut);
    EXPECT_EQ(split.training.inputs[0].tensor.values<float>()[0], 0);
    EXPECT_EQ(split.validation.inputs[0].tensor.values<float>()[0], static_cast<float>(c.cut));
    EXPECT_EQ(split.validation.targets[0].tensor.values<int32_t>()[0], 10 + c.cut);
    EXPECT_EQ(split.validation.sample_weight->values<float>()[0], static_cast<float>(c.cut));
  }
  expect_error("H203", {"train on"}, [] { validation_split(counting(10), 0.9); });
}

TEST(ValidationSplit, RefusesImpossibleFractions) {
  for (double fraction : {0.0, 1.0, -0.5, 1.5})
    expect_error("H302", {"between 0 and 1"}, [&] { validation_split(counting(4), fraction); });
}

TEST(Limit, TakesTheFirstSamples) {
  Dataset two = limit(counting(5), 2);
  EXPECT_EQ(two.samples(), 2);
  EXPECT_EQ(two.targets[0].tensor.values<int32_t>()[1], 11);
  EXPECT_EQ(limit(counting(5), 9).samples(), 5);
  expect_error("H302", {"0 samples"}, [] { limit(counting(5), 0); });
}

std::vector<float> weights_for(Tensor targets) {
  Dataset data{.name = "weights"};
  data.inputs.push_back({"", Tensor(DType::float32, {targets.shape()[0], 1})});
  data.targets.push_back({"", std::move(targets)});
  Dataset weighted = with_class_weight(std::move(data), {{0, 2.0}, {2, 0.5}});
  auto values = weighted.sample_weight->values<float>();
  return {values.begin(), values.end()};
}

// The rule of Keras 3: unnamed classes weigh 1, several columns mean the largest one, labels that
// are no whole numbers are rounded to even.
TEST(ClassWeight, BecomesSampleWeights) {
  using Weights = std::vector<float>;
  EXPECT_EQ(weights_for(Tensor::of<uint8_t>({4, 1}, {0, 1, 2, 3})), (Weights{2, 1, 0.5, 1}));
  EXPECT_EQ(weights_for(Tensor::of<int64_t>({3}, {2, 0, -1})), (Weights{0.5, 2, 1}));
  EXPECT_EQ(weights_for(Tensor::of<float>({3, 3}, {0, 0, 1, 1, 0, 0, 0, 1, 0})),
            (Weights{0.5, 2, 1}));
  EXPECT_EQ(weights_for(Tensor::of<float>({2}, {0.5f, 1.5f})), (Weights{2, 0.5}));
}

TEST(ClassWeight, IsRefusedWhereItHasNoMeaning) {
  expect_error("H304", {"cannot be combined"}, [] { with_class_weight(counting(2), {}); });
  Dataset data = counting(2);
  data.sample_weight.reset();
  data.targets[0].tensor = Tensor(DType::float32, {2, 3, 4});
  expect_error("H205", {"(2, 3, 4)"}, [&] { with_class_weight(data, {}); });
  data.targets.clear();
  expect_error("H304", {"exactly one target"}, [&] { with_class_weight(data, {}); });
}

}  // namespace
}  // namespace hornbeam
