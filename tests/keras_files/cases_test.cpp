// Faults reported of other programs, on models that are read from their JSON. The numbers were
// computed with Keras.
#include "golden/cases.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "backends/backends.h"
#include "helpers.h"
#include "keras/load.h"
#include "keras/save.h"
#include "temporary_folder.h"
#include "train/trainer.h"

namespace hornbeam {
namespace {

using Floats = std::vector<float>;

SavedModel model_of(const std::string& layers) {
  std::string text = R"({"class_name": "Sequential", "config": [)" + layers + "]}";
  auto bytes = std::as_bytes(std::span(text));
  return load_model({bytes.begin(), bytes.end()}, "case.json");
}

// A model of one layer for pictures of one channel.
SavedModel picture_model(const std::string& class_name, int64_t side, const std::string& config) {
  return model_of(fmt::format(
      R"({{"class_name": "{}", "config": {{"batch_input_shape": [null, {}, {}, 1], {}}}}})",
      class_name, side, side, config));
}

void fill(Weight& weight, float value) {
  weight.value = Tensor(DType::float32, weight.shape);
  std::ranges::fill(weight.value.values<float>(), value);
}

void expect_output(const SavedModel& saved, const Tensor& input, const Floats& expected) {
  Tensor received = predictions(*saved.model, {input})[0];
  golden::expect_close(received, Tensor::of<float>(received.shape(), std::span(expected)), "case",
                       {0, 1e-5});
}

Tensor picture(int64_t side, const Floats& values) {
  return Tensor::of<float>({1, side, side, 1}, std::span(values));
}

Floats ramp(size_t count) {
  Floats values(count);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

// Case B01: the odd cell of "same" padding goes to the end.
TEST(Cases, B01SamePaddingOfConvolutions) {
  SavedModel saved = picture_model(
      "Conv2D", 4,
      R"("filters": 1, "kernel_size": [3, 3], "strides": [2, 2], "padding": "same", "use_bias": false)");
  fill(*saved.model->weights()[0].weight, 1);
  expect_output(saved, picture(4, ramp(16)), {54, 45, 72, 54});
}

// Case B03: average pooling does not count the padding.
TEST(Cases, B03AveragePoolingLeavesPaddingOut) {
  std::string same = R"("pool_size": [3, 3], "padding": "same", "strides": [)";
  SavedModel strided = picture_model("AveragePooling2D", 3, same + "3, 3]");
  expect_output(strided, picture(3, Floats(9, 1)), {1});
  Floats one(16, 0);
  one[2 * 4 + 1] = 1;
  Tensor output = predictions(*picture_model("AveragePooling2D", 4, same + "1, 1]").model,
                              {picture(4, one)})[0];
  Floats rows(output.values<float>().begin(), output.values<float>().end());
  const Floats row_1{0.166667f, 0.111111f, 0.111111f, 0}, row_3{0.25f, 0.166667f, 0.166667f, 0};
  for (size_t column = 0; column < 4; ++column) {
    EXPECT_NEAR(rows[4 + column], row_1[column], 1e-6);
    EXPECT_NEAR(rows[12 + column], row_3[column], 1e-6);
  }
}

// Case B33: 4 epochs at once are 2 epochs, a file, and 2 epochs more.
class Resumed : public testing::Test {
 protected:
  Resumed() {
    Tensor x(DType::float32, {10, 2}), y(DType::float32, {10, 1});
    for (int64_t i = 0; i < 20; ++i) x.values<float>()[i] = std::sin(static_cast<float>(i));
    for (int64_t i = 0; i < 10; ++i) y.values<float>()[i] = std::cos(static_cast<float>(i));
    data_ = {.inputs = {{"", x}}, .targets = {{"", y}}};
  }

  // Goes on with the state of `saved`, and leaves the new one there.
  void fit(SavedModel& saved, int64_t first, int64_t last) {
    Trainer trainer(*saved.model, *saved.compile, *backend_, {.batch = 4});
    if (saved.optimizer_state) trainer.set_optimizer_state(*saved.optimizer_state);
    trainer.fit(data_, nullptr, {.epochs = last, .initial_epoch = first, .shuffle = false});
    trainer.download();
    saved.optimizer_state = trainer.optimizer_state();
  }

  static SavedModel fresh() {
    SavedModel saved = model_of(
        R"({"class_name": "Dense", "config": {"name": "a", "batch_input_shape": [null, 2], "units": 5, "activation": "tanh"}},
           {"class_name": "Dense", "config": {"name": "b", "units": 1}})");
    saved.model->initialize(1);
    Json adam =
        Json::object({{"class_name", "Adam"}, {"config", Json::object({{"learning_rate", 0.01}})}});
    saved.compile = CompileConfig{.optimizer = optimizer_by_name(adam, "case"), .loss = "mse"};
    return saved;
  }

  Dataset data_;
  std::unique_ptr<Backend> backend_ = make_backend("cpu", {.threads = 2});
};

TEST_F(Resumed, B33FromAFileIsAsIfNothingHadHappened) {
  SavedModel straight = fresh(), halted = fresh();
  fit(straight, 0, 4);
  fit(halted, 0, 2);
  TemporaryFolder folder;
  std::filesystem::path path = folder / "halted.keras";
  save_keras(path, *halted.model, &*halted.compile,
             sources_of(*halted.model, &*halted.optimizer_state));
  SavedModel loaded = load_model_file(path, {});
  EXPECT_EQ(loaded.optimizer_state->iteration, 6);
  fit(loaded, 2, 4);
  std::vector<ModelWeight> received = loaded.model->weights();
  std::vector<ModelWeight> expected = straight.model->weights();
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(identical(received[i].weight->value, expected[i].weight->value))
        << expected[i].path;
}

}  // namespace
}  // namespace hornbeam
