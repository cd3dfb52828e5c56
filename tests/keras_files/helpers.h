// What the tests of model files have in common: files, predictions, expected errors.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "nn/model.h"

namespace hornbeam {

std::filesystem::path fixture(const std::string& name);  // tests/keras_files/NAME
std::filesystem::path real_models();                     // the shared model files

// The outputs of a model, by the CPU backend.
std::vector<Tensor> predictions(Model& model, const std::vector<Tensor>& inputs);

// The largest |a - b| of two tensors of one shape.
double largest_difference(const Tensor& a, const Tensor& b);

// The name of a test whose parameter is a file.
std::string name_of_file(const testing::TestParamInfo<std::string>& file);

void expect_failure(const std::string& code, const std::string& part,
                    const std::function<void()>& act);

}  // namespace hornbeam
