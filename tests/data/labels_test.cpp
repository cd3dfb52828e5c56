#include "data/labels.h"

#include "refusals.h"

namespace hornbeam {
namespace {

const LabelRule three_classes{.classes = 3, .place = "train.npz", .layer = "dense_2"};

// 150 labels 1, 2 and 3; 41 of them are 3.
Tensor one_based() {
  Tensor labels(DType::int32, {150, 1});
  for (int i = 0; i < 150; ++i) labels.values<int32_t>()[i] = i < 41 ? 3 : 1 + i % 2;
  return labels;
}

TEST(Labels, CountsThoseOutside) {
  expect_error("H204",
               {"label 3 is outside the 3 classes of this model", "--> train.npz",
                "the last layer `dense_2` has 3 outputs, so labels run from 0 to 2",
                "41 of 150 labels are 3 and none is 0",
                "help: labels seem to start at 1; use --label-offset -1"},
               [] { check_labels(one_based(), three_classes); });
  expect_error("H204", {"label -1 is outside", "2 of 4 labels are outside\n", "correct the labels"},
               [] {
                 check_labels(Tensor::of<int64_t>({4}, {-1, 0, 2, 9}), three_classes);
               });
  expect_error("H204", {"label 0.5 is no whole number", "the model has 3 outputs"}, [] {
    check_labels(Tensor::of<float>({2}, {0, 0.5f}), {.classes = 3});
  });
}

TEST(Labels, AllowsTheWholeRange) {
  check_labels(Tensor::of<uint8_t>({2, 1}, {0, 2}), three_classes);
  check_labels(Tensor::of<float>({3}, {0, 1, 2}), three_classes);
  check_labels(Tensor(DType::int32, {0}), three_classes);
}

TEST(OneHot, AddsAnAxisOfClasses) {
  Tensor expected = Tensor::of<float>({2, 3}, {0, 0, 1, 1, 0, 0});
  EXPECT_TRUE(identical(one_hot(Tensor::of<uint8_t>({2, 1}, {2, 0}), three_classes), expected));
  EXPECT_TRUE(identical(one_hot(Tensor::of<int64_t>({2}, {2, 0}), three_classes), expected));
  EXPECT_EQ(one_hot(Tensor(DType::int32, {2, 5}), three_classes).shape(), (Shape{2, 5, 3}));
  expect_error("H204", {}, [] { one_hot(one_based(), three_classes); });
}

}  // namespace
}  // namespace hornbeam
