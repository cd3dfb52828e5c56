// What data is refused for which model, with transforms and without.
#include "cli/data_check.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "keras/model_reader.h"

namespace hornbeam {
namespace {

// A softmax over the last axis of samples of that shape.
std::shared_ptr<Model> model_of(const std::string& shape) {
  Json json = parse_json(
      R"({"class_name": "Sequential", "config": {"name": "m", "layers": [
          {"class_name": "InputLayer", "config": {"name": "in", "batch_shape": [null, )" +
          shape + R"(]}}, {"class_name": "Softmax", "config": {"name": "out"}}]}})",
      "test");
  return read_model(json, "m", {});
}

Dataset samples(Shape shape) {
  Dataset data{.name = "data"};
  data.inputs.push_back({"", Tensor(DType::float32, std::move(shape))});
  return data;
}

std::string inputs_refused(Shape shape, const std::string& model,
                           std::vector<std::string> transforms) {
  Options options;
  options.transforms = std::move(transforms);
  try {
    check_inputs(options, samples(std::move(shape)), *model_of(model));
  } catch (const Error& error) {
    return std::string(error.code().name) + " " + error.parts().message;
  }
  return "";
}

TEST(DataCheck, OfInputsIsTheSameWithTransforms) {
  for (const std::vector<std::string>& transforms :
       {std::vector<std::string>{}, {"Rescaling(scale=1/255)"}}) {
    EXPECT_EQ(inputs_refused({2, 8, 8, 3}, "8, 8, 3", transforms), "");
    EXPECT_EQ(inputs_refused({2, 28, 28}, "28, 28, 1", transforms), "");
    EXPECT_EQ(inputs_refused({2, 28, 28, 1}, "28, 28", transforms), "");
    EXPECT_EQ(inputs_refused({2, 192}, "8, 8, 3", transforms), "");
    for (const char* model : {"3, 8, 8", "8, 4, 6"})
      EXPECT_EQ(inputs_refused({2, 8, 8, 3}, model, transforms).substr(0, 42),
                "H205 a sample of the data is (8, 8, 3)" +
                    std::string(transforms.empty() ? ", th" : " aft"));
  }
  EXPECT_EQ(inputs_refused({2, 6}, "2, 3", {"Reshape(target_shape=[2, 3])"}), "");
  EXPECT_EQ(inputs_refused({2, 6}, "2, 3", {"Reshape(target_shape=[4, 3])"}).substr(0, 5), "H114 ");
}

std::string labels_refused(std::vector<int32_t> labels, Shape shape) {
  Dataset data = samples({2, 3, 4});
  data.targets.push_back(
      {"", Tensor::of<int32_t>(std::move(shape), std::span<const int32_t>(labels))});
  CompileConfig config;
  config.loss = "sparse_categorical_crossentropy";
  std::shared_ptr<Model> model = model_of("3, 4");
  model->build_for(std::vector<Shape>{{1, 3, 4}});
  try {
    check_data({}, data, *model, config);
  } catch (const Error& error) {
    return std::string(error.code().name);
  }
  return "";
}

TEST(DataCheck, OfLabelsLooksAtEveryPosition) {
  for (const Shape& shape : {Shape{2, 3}, Shape{2, 3, 1}}) {
    EXPECT_EQ(labels_refused({0, 1, 2, 3, 3, 0}, shape), "");
    EXPECT_EQ(labels_refused({0, 1, 2, 3, 4, 0}, shape), "H204");
    EXPECT_EQ(labels_refused({0, 1, 2, 3, 3, -1}, shape), "H204");
  }
}

}  // namespace
}  // namespace hornbeam
