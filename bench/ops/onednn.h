// oneDNN as a peer of the convolutions.
#pragma once

#include <functional>

#include "backends/cpu/kernels/convolution.h"

namespace hornbeam {

// The same work on zeros by oneDNN, in memory layouts of its own choice and without the cost of
// changing into them. Nothing where oneDNN was not there when this was built.
std::function<void()> onednn_convolution(const Convolution& problem, ConvolutionPass pass,
                                         int threads);

}  // namespace hornbeam
