// What real model files predict, against the predictions that were stored beside them.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/files.h"
#include "formats/hdf5.h"
#include "helpers.h"
#include "keras/load.h"

namespace hornbeam {
namespace {

namespace fs = std::filesystem;

class RealPredictions : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(real_models())) GTEST_SKIP() << "there is no " << real_models();
  }
};

Tensor only_dataset(const Hdf5Group& group) { return group.dataset(group.names().at(0)); }

struct Stored {
  Tensor input, prediction;
};

Stored stored_for(const fs::path& stem) {
  Hdf5Group file = Hdf5File::open(stem.string() + "_inputs_and_outputs.h5").root();
  return {only_dataset(file.group("inputs")), only_dataset(file.group("predictions"))};
}

double error_of(const SavedModel& saved, const Stored& stored) {
  return largest_difference(predictions(*saved.model, {stored.input})[0], stored.prediction);
}

TEST_F(RealPredictions, AreThoseThatKerasStored) {
  for (const char* name : {"dl4j-io-act-relu_2/ReLU_2", "dl4j-io-act-softmax_0/Softmax_0",
                           "dl4j-io-sparse-xent/simple_sparse_xent_mlp_keras_2"}) {
    std::string stem = (real_models() / name).string();
    Stored stored = stored_for(stem);
    EXPECT_LE(error_of(load_model_file(stem + "_model.h5", {}), stored), 1e-4) << name;
    SavedModel parts = load_model_file(stem + "_config.json", stem + "_weights.h5");
    EXPECT_LE(error_of(parts, stored), 1e-4) << name;
  }
}

std::vector<float> numbers_in(const fs::path& file) {
  std::ifstream text(file);
  return {std::istream_iterator<float>(text), std::istream_iterator<float>()};
}

// Planes of a picture, channel by channel, to pixels.
Tensor picture_of(std::span<const float> planes, int64_t channels, int64_t side) {
  Tensor picture(DType::float32, {1, side, side, channels});
  std::span<float> pixels = picture.values<float>();
  int64_t area = side * side;
  for (int64_t i = 0; i < area * channels; ++i) pixels[i % area * channels + i / area] = planes[i];
  return picture;
}

TEST_F(RealPredictions, OfKeras1) {
  fs::path folder = real_models() / "dl4j-k1-cnn-tf";
  std::vector<float> expected = numbers_in(folder / "cnn_tf_output.txt");
  Stored stored{picture_of(numbers_in(folder / "cnn_tf_input.txt"), 3, 8),
                Tensor::of<float>({1, 3}, std::span<const float>(expected))};
  EXPECT_LE(error_of(load_model_file(folder / "cnn_tf_model.h5", {}), stored), 1e-4);
  SavedModel parts = load_model_file(folder / "cnn_tf_config.json", folder / "cnn_tf_weights.h5");
  EXPECT_LE(error_of(parts, stored), 1e-4);
}

// --- ResNet-8 on the first 4,000 pictures of CIFAR-10, of which it is known to know 93.0 % ---

constexpr int64_t record_bytes = 1 + 3 * 32 * 32;

struct Pictures {
  Tensor pixels;
  std::vector<int> labels;
};

Pictures cifar(const fs::path& file) {
  std::vector<std::byte> bytes = read_file(file);
  int64_t count = static_cast<int64_t>(bytes.size()) / record_bytes;
  Pictures pictures{Tensor(DType::float32, {count, 32, 32, 3}), {}};
  std::span<float> all = pictures.pixels.values<float>();
  for (int64_t i = 0; i < count; ++i) {
    std::vector<float> planes;
    for (int64_t byte = 1; byte < record_bytes; ++byte)
      planes.push_back(static_cast<float>(bytes[i * record_bytes + byte]));
    pictures.labels.push_back(static_cast<int>(bytes[i * record_bytes]));
    std::ranges::copy(picture_of(planes, 3, 32).values<float>(),
                      all.subspan(i * (record_bytes - 1)).begin());
  }
  return pictures;
}

double accuracy(const Tensor& outputs, const std::vector<int>& labels) {
  std::span<const float> values = outputs.values<float>();
  size_t classes = values.size() / labels.size(), right = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    std::span<const float> row = values.subspan(i * classes, classes);
    right += std::ranges::max_element(row) - row.begin() == labels[i];
  }
  return static_cast<double>(right) / static_cast<double>(labels.size());
}

TEST_F(RealPredictions, OfAResNetOnRealPictures) {
  fs::path file = real_models() / "../cifar10-lossless-4000/data_batch_1_first4000.bin";
  if (!fs::exists(file)) GTEST_SKIP() << "there is no " << file;
  SavedModel saved =
      load_model_file(real_models() / "tiny-resnet8-cifar10/pretrainedResnet.h5", {});
  Pictures pictures = cifar(file);
  Tensor outputs = predictions(*saved.model, {pictures.pixels})[0];
  EXPECT_NEAR(accuracy(outputs, pictures.labels), 0.930, 0.0005);
}

}  // namespace
}  // namespace hornbeam
