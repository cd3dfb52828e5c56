// What the tests of model files have in common: files, predictions, expected errors.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "nn/model.h"

namespace hornbeam {

std::filesystem::path real_models();  // the shared model files

// The outputs of a model, by the CPU backend.
std::vector<Tensor> predictions(Model& model, const std::vector<Tensor>& inputs);

// The largest |a - b| of two tensors of one shape.
double largest_difference(const Tensor& a, const Tensor& b);

}  // namespace hornbeam
