// Keras' arithmetic of 'same' and 'valid' padding (TensorFlow's SAME): the odd extra cell is at the
// end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "ops/rules.h"

namespace hornbeam {

// Cells before and after an axis (of positive window, stride and dilation) so that the output has
// ceil(input / stride) steps.
inline std::pair<int64_t, int64_t> same_padding(int64_t input, int64_t window, int64_t stride,
                                                int64_t dilation) {
  int64_t reach = dilated(window, dilation);
  int64_t steps = input / stride + (input % stride != 0);
  int64_t total = std::max<int64_t>(0, (steps - 1) * stride + reach - input);
  return {total / 2, total - total / 2};
}

}  // namespace hornbeam
