// Products and convolutions on the matrix kernels.
#pragma once

#include "backends/cpu/kernel.h"

namespace hornbeam {

// dot_general of float32 without batching axes, where the contracted axes of each side stand together at
// its beginning or its end, in the same order.
Planned plan_gemm(const KernelRequest& request, const CpuInfo& cpu);

// conv and its two gradients for float32 pictures with two spatial axes, channels last.
Planned plan_convolution(const KernelRequest& request, const CpuInfo& cpu);
Planned plan_convolution_input_gradient(const KernelRequest& request, const CpuInfo& cpu);
Planned plan_convolution_kernel_gradient(const KernelRequest& request, const CpuInfo& cpu);

}  // namespace hornbeam
