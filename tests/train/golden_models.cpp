#include "train/golden_models.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/files.h"

namespace hornbeam {
namespace {

Tensor scaled(const Tensor& bytes) {
  Tensor floats = bytes.converted(DType::float32);
  for (float& value : floats.values<float>()) value /= 255;
  return floats;
}

// How far float32 itself is from float64 in Keras, by weight. Above this a weight has no meaning
// beyond rounding noise: a bias in front of batch normalisation, which changes no output.
constexpr double all_noise = 1e-2;
// Above this the noise of such a bias is in the weight: the moving mean behind it takes it up, and
// Adam turns what is left of a tiny gradient into steps. Two float32 trainings are then as far
// apart as each is from float64.
constexpr double some_noise = 1e-5;

// Slots of optimizers are up to quadratic in the gradients, which doubles relative errors.
double tolerance(double rounding, const std::string& kind) {
  double factor = kind == "optimizer" ? 2 : 1;
  return factor * (rounding > some_noise ? std::max(5e-3, 3 * rounding) : 1e-3);
}

}  // namespace

std::filesystem::path golden_models() {
  return std::filesystem::path(HORNBEAM_TESTS_FOLDER) / "golden/models";
}

Json trainings_in(const std::filesystem::path& folder) {
  std::filesystem::path list = folder / "cases.json";
  return parse_json(read_text(list), list.string());
}

Pictures::Pictures(const std::filesystem::path& folder, std::string images)
    : file_(folder / "pictures.npz"), images_(std::move(images)) {}

Dataset Pictures::part(const std::string& name) const {
  Dataset data{.name = name};
  data.inputs.push_back({"", scaled(file_.read(name + "_" + images_))});
  data.targets.push_back({"", file_.read(name + "_labels")});
  return data;
}

double relative_distance(const Tensor& received, const Tensor& expected) {
  Tensor a = received.converted(DType::float64), b = expected.converted(DType::float64);
  double difference = 0, size = 0;
  for (size_t i = 0; i < b.values<double>().size(); ++i) {
    double x = a.values<double>()[i], y = b.values<double>()[i];
    difference += (x - y) * (x - y);
    size += y * y;
  }
  return std::sqrt(difference / std::max(size, 1e-30));
}

std::vector<Tensor> weights_of(const SavedModel& saved) {
  std::vector<Tensor> values;
  for (const ModelWeight& each : saved.model->weights()) values.push_back(each.weight->value);
  return values;
}

bool expect_step_losses(const std::vector<double>& received, const Tensor& expected,
                        const Json::Array& rounding) {
  constexpr double parted = 6e-5;
  EXPECT_EQ(received.size(), expected.values<float>().size());
  for (size_t i = 0; i < received.size(); ++i) {
    if (rounding.at(i).as_number() > parted) return false;
    double loss = static_cast<double>(expected.values<float>()[i]);
    EXPECT_NEAR(received[i], loss, 1e-4 * loss) << "step " << i;
  }
  return true;
}

void expect_close_as_rounding_allows(const std::vector<Tensor>& received, const NpzReader& numbers,
                                     const std::string& kind, const Json::Array& rounding) {
  ASSERT_EQ(received.size(), rounding.size());
  for (size_t i = 0; i < received.size(); ++i) {
    if (rounding[i].as_number() > all_noise) continue;
    std::string name = kind + "_" + std::to_string(i);
    EXPECT_LT(relative_distance(received[i], numbers.read(name)),
              tolerance(rounding[i].as_number(), kind))
        << name;
  }
}

}  // namespace hornbeam
