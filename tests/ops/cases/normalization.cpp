#include "ops/cases/families.h"

namespace hornbeam::op_cases {
namespace {

// x: values, gamma, beta, valid.
Exprs training(Inputs x, int64_t axis) {
  BatchNormResult result = batch_norm_training(x[0], x[1], x[2], x[3], axis, 1e-3);
  return {result.y, result.mean, result.variance};
}

Exprs inference(Inputs x, int64_t axis) {
  return {batch_norm_inference(x[0], x[1], x[2], x[3], x[4], axis, 1e-3)};
}

Exprs statistics(Inputs x, int64_t axis) {
  auto [mean, variance] = batch_norm_statistics(x[0], x[1], axis);
  return {mean, variance};
}

const OpCase cases[] = {
    {"training_rows", [](Inputs x) { return training(x, -1); }},
    {"training_pictures", [](Inputs x) { return training(x, 3); }},
    {"training_pictures_first", [](Inputs x) { return training(x, 1); }},
    {"training_part", [](Inputs x) { return training(x, -1); }},
    // float32 knows numbers near 1000 to 3e-5; without centring the variance would be lost
    // entirely.
    {.name = "training_far_from_zero",
     .build = [](Inputs x) { return training(x, -1); },
     .relative = 2e-4,
     .absolute = 2e-4},
    // The gradient of x is 0 by cancellation of terms of size 30.
    {.name = "training_one_sample",
     .build = [](Inputs x) { return training(x, -1); },
     .absolute = 4e-6},
    {"inference_rows", [](Inputs x) { return inference(x, -1); }},
    {"inference_pictures_first", [](Inputs x) { return inference(x, 1); }},
    {"statistics_rows", [](Inputs x) { return statistics(x, -1); }},
    {"statistics_pictures_first", [](Inputs x) { return statistics(x, 1); }},
    {"statistics_part", [](Inputs x) { return statistics(x, -1); }},
};

}  // namespace

const Family normalization_family{"normalization", cases};

}  // namespace hornbeam::op_cases
