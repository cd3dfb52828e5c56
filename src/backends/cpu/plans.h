// The plan functions of all kernels, by file; kernel_list.cpp puts them into their order.
#pragma once

#include "backends/cpu/kernel.h"

namespace hornbeam {

// elementwise_kernels.cpp: fused nodes, and single elementwise nodes
Planned plan_tiles_of_body(const KernelRequest& request, const CpuInfo& cpu);
Planned plan_tiles_of_node(const KernelRequest& request, const CpuInfo& cpu);

// body_kernel.cpp: a fused node, one node of its body after another
Planned plan_body(const KernelRequest& request, const CpuInfo& cpu);

// loop_kernels.cpp
Planned plan_scan(const KernelRequest& request, const CpuInfo& cpu);
Planned plan_while(const KernelRequest& request, const CpuInfo& cpu);

// convolution_kernels.cpp: each method for each pass; all but the fastest refuse
Planned plan_winograd_4x4(const KernelRequest& request, const CpuInfo& cpu);
Planned plan_winograd_2x4(const KernelRequest& request, const CpuInfo& cpu);
Planned plan_winograd_2x2(const KernelRequest& request, const CpuInfo& cpu);
Planned plan_direct_convolution(const KernelRequest& request, const CpuInfo& cpu);
Planned plan_matrix_convolution(const KernelRequest& request, const CpuInfo& cpu);

// product_kernels.cpp
Planned plan_matrix_product(const KernelRequest& request, const CpuInfo& cpu);
Planned plan_sampled_product(const KernelRequest& request, const CpuInfo& cpu);

// reduce_kernels.cpp
Planned plan_reduce(const KernelRequest& request, const CpuInfo& cpu);
Planned plan_plain_reduce(const KernelRequest& request, const CpuInfo& cpu);  // any element type
Planned plan_argmax(const KernelRequest& request, const CpuInfo& cpu);

// normalization_kernels.cpp
Planned plan_batch_norm_statistics(const KernelRequest& request, const CpuInfo& cpu);

// pooling_kernels.cpp
Planned plan_max_pool(const KernelRequest& request, const CpuInfo& cpu);
Planned plan_max_pool_gradient(const KernelRequest& request, const CpuInfo& cpu);
Planned plan_average_pool(const KernelRequest& request, const CpuInfo& cpu);
Planned plan_average_pool_gradient(const KernelRequest& request, const CpuInfo& cpu);

// softmax_kernels.cpp
Planned plan_softmax(const KernelRequest& request, const CpuInfo& cpu);
Planned plan_log_softmax(const KernelRequest& request, const CpuInfo& cpu);

// table_kernels.cpp
Planned plan_gather(const KernelRequest& request, const CpuInfo& cpu);
Planned plan_scatter(const KernelRequest& request, const CpuInfo& cpu);

// copy_kernels.cpp
Planned plan_broadcast(const KernelRequest& request, const CpuInfo& cpu);
Planned plan_concatenate(const KernelRequest& request, const CpuInfo& cpu);
Planned plan_iota(const KernelRequest& request, const CpuInfo& cpu);
Planned plan_pad(const KernelRequest& request, const CpuInfo& cpu);
Planned plan_reverse(const KernelRequest& request, const CpuInfo& cpu);
Planned plan_slice(const KernelRequest& request, const CpuInfo& cpu);
Planned plan_transpose(const KernelRequest& request, const CpuInfo& cpu);

}  // namespace hornbeam
