// Keras' arithmetic of 'same' and 'valid' padding (TensorFlow's SAME): the odd extra cell is at the
// end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace hornbeam {

// Cells before and after an axis so that the output has ceil(input / stride) steps.
inline std::pair<int64_t, int64_t> same_padding(int64_t input, int64_t window, int64_t stride,
                                                int64_t dilation) {
  int64_t reach = (window - 1) * dilation + 1;
  int64_t steps = (input + stride - 1) / stride;
  int64_t total = std::max<int64_t>(0, (steps - 1) * stride + reach - input);
  return {total / 2, total - total / 2};
}

}  // namespace hornbeam
