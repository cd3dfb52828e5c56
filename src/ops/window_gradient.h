// The gradient of a window sum, used by reduce_window and by average pooling.
#pragma once

#include "ops/ops.h"

namespace hornbeam {

// Each element of the input gets the dy of all windows it is in: again a sum over windows, of dy
// spread out by the strides.
Expr window_sum_gradient(Expr dy, const Window& window, const Integers& base_dilations,
                         const Integers& window_dilations, const Shape& input_shape);

}  // namespace hornbeam
