// What the tests of whole trainings share: the models, pictures and numbers in tests/golden/models.
#pragma once

#include <filesystem>

#include "base/json.h"
#include "data/dataset.h"
#include "formats/npz.h"
#include "keras/load.h"

namespace hornbeam {

// Trainings made by Keras: tests/golden/models.
std::filesystem::path golden_models();

// Their list of descriptions: cases.json of a folder.
Json trainings_in(const std::filesystem::path& folder);

// The parts "training" and "validation" of pictures.npz in a folder; pixels are divided by 255.
class Pictures {
 public:
  Pictures(const std::filesystem::path& folder, std::string images);
  Dataset part(const std::string& name) const;

 private:
  NpzReader file_;
  std::string images_;
};

// |received - expected| / |expected|, in the sense of the sum of squares.
double relative_distance(const Tensor& received, const Tensor& expected);

std::vector<Tensor> weights_of(const SavedModel& saved);

// Losses of steps within a relative 1e-4, up to the step at which Keras' own float32 and float64
// part, as `rounding` says (an array with a number a step). False when they part.
bool expect_step_losses(const std::vector<double>& received, const Tensor& expected,
                        const Json::Array& rounding);

// The tensors "KIND_0", "KIND_1" … of the file. `rounding` says for each how far Keras' own float32
// is from float64: what that leaves no meaning is not compared.
void expect_close_as_rounding_allows(const std::vector<Tensor>& received, const NpzReader& numbers,
                                     const std::string& kind, const Json::Array& rounding);

}  // namespace hornbeam
