#include "helpers.h"

#include <cmath>

#include "backends/backends.h"
#include "train/trainer.h"

namespace hornbeam {

std::filesystem::path real_models() {
  return std::filesystem::path(HORNBEAM_SHARED_DATA) / "keras-models";
}

std::vector<Tensor> predictions(Model& model, const std::vector<Tensor>& inputs) {
  Dataset data{.name = "inputs"};
  for (size_t i = 0; i < inputs.size(); ++i)
    data.inputs.push_back({model.input_name(i), inputs[i]});
  std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 2});
  return Trainer(model, {}, *backend, {.batch = 256}).predict(data);
}

double largest_difference(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) return INFINITY;
  double largest = 0;
  Tensor left = a.converted(DType::float64), right = b.converted(DType::float64);
  std::span<const double> x = left.values<double>(), y = right.values<double>();
  for (size_t i = 0; i < x.size(); ++i) {
    double difference = std::abs(x[i] - y[i]);
    if (!(difference <= largest)) largest = difference;  // NaN too
  }
  return largest;
}

}  // namespace hornbeam
