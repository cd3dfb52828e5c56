// Convolution and its gradients, of float32 pictures with channels last; sequences are pictures of
// one row.
#include <fmt/format.h>

#include "backends/cpu/kernels/convolution.h"
#include "backends/cpu/plans.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

ConvolutionPass pass_of(const Node& node) {
  if (node.op == &conv_op) return ConvolutionPass::forward;
  return node.op == &conv_input_gradient_op ? ConvolutionPass::gradient_to_input
                                            : ConvolutionPass::gradient_to_kernel;
}

// The pictures that go into the convolution, and its kernel, whatever the pass.
struct Shapes {
  Shape input, kernel;
};

Shapes shapes_of(const KernelRequest& request) {
  switch (pass_of(request.node)) {
    case ConvolutionPass::forward:
      return {request.operand(0).shape, request.operand(1).shape};
    case ConvolutionPass::gradient_to_input:
      return {request.result().shape, request.operand(1).shape};
    case ConvolutionPass::gradient_to_kernel:
      return {request.operand(0).shape, request.result().shape};
  }
  __builtin_unreachable();
}

Convolution problem_of(const KernelRequest& request) {
  auto [input, kernel] = shapes_of(request);
  const Attrs& attrs = request.node.attrs;
  size_t spatial = static_cast<size_t>(input.rank()) - 2, width = spatial - 1;
  auto vertical = [&](const Integers& values, int64_t missing) {
    return spatial == 2 ? values[0] : missing;
  };
  const Integers &strides = attrs.integers("strides"), &dilation = attrs.integers("dilation");
  const Integers &low = attrs.integers("padding_low"), &high = attrs.integers("padding_high");
  return {.batch = input[0],
          .height = spatial == 2 ? input[1] : 1,
          .width = input[input.rank() - 2],
          .in_channels = input[input.rank() - 1],
          .kernel_height = spatial == 2 ? kernel[0] : 1,
          .kernel_width = kernel[static_cast<int64_t>(width)],
          .out_channels = kernel[kernel.rank() - 1],
          .stride_height = vertical(strides, 1),
          .stride_width = strides[width],
          .padding_top = vertical(low, 0),
          .padding_bottom = vertical(high, 0),
          .padding_left = low[width],
          .padding_right = high[width],
          .dilation_height = vertical(dilation, 1),
          .dilation_width = dilation[width],
          .groups = attrs.integer("groups")};
}

std::string refusal_of(const KernelRequest& request) {
  if (request.result().dtype != DType::float32) return "not float32";
  if (request.node.attrs.text("data_format") != "channels_last") return "not channels_last";
  int64_t rank = request.operand(0).shape.rank();
  return rank == 3 || rank == 4 ? "" : fmt::format("{} spatial axes", rank - 2);
}

void run_pass(const Convolution& problem, ConvolutionPass pass, ConvolutionMethod method,
              const KernelArguments& on) {
  auto a = on.operand<float>(0), b = on.operand<float>(1);
  const float* bias = on.operands.size() == 3 ? on.operand<float>(2) : nullptr;
  auto result = on.result<float>();
  switch (pass) {
    case ConvolutionPass::forward:
      return convolution_forward(problem, method, a, b, bias, result, on.workspace, on.threads);
    case ConvolutionPass::gradient_to_input:
      return convolution_gradient_to_input(problem, method, a, b, result, on.workspace, on.threads);
    case ConvolutionPass::gradient_to_kernel:
      return convolution_gradient_to_kernel(problem, method, a, b, result, on.workspace,
                                            on.threads);
  }
}

bool allowed(const Convolution& problem, ConvolutionPass pass, ConvolutionMethod method,
             const CpuInfo& cpu) {
  return cpu.matmul_precision != MatmulPrecision::highest ||
         convolution_is_exact(problem, pass, method);
}

// Empty when no other method that can do it is expected to be faster.
std::string faster_method(const Convolution& problem, ConvolutionPass pass,
                          ConvolutionMethod method, const CpuInfo& cpu) {
  const double cost = convolution_cost(problem, pass, method);
  for (ConvolutionMethod other : convolution_methods) {
    const double other_cost = convolution_cost(problem, pass, other);
    if (other_cost < cost && allowed(problem, pass, other, cpu) &&
        convolution_refusal(problem, pass, other).empty())
      return fmt::format("{} takes about {:.2f} of its time", name_of(other), other_cost / cost);
  }
  return "";
}

Planned plan_method(const KernelRequest& request, const CpuInfo& cpu, ConvolutionMethod method) {
  if (std::string reason = refusal_of(request); !reason.empty()) return Refusal{reason};
  Convolution problem = problem_of(request);
  ConvolutionPass pass = pass_of(request.node);
  if (!allowed(problem, pass, method, cpu))
    return Refusal{"--matmul-precision is highest, and plain sums of this length are more exact"};
  if (std::string reason = convolution_refusal(problem, pass, method); !reason.empty())
    return Refusal{reason};
  if (std::string reason = faster_method(problem, pass, method, cpu); !reason.empty())
    return Refusal{reason};
  return KernelPlan{
      .memory = {.workspace_bytes = convolution_workspace(problem, pass, method, cpu.threads)},
      .cost = {.operations = convolution_operations(problem),
               .seconds = 2 * convolution_cost(problem, pass, method) /
                          common_machine::operations_a_second},
      .run = [=](const KernelArguments& on) { run_pass(problem, pass, method, on); }};
}

}  // namespace

Planned plan_winograd_4x4(const KernelRequest& request, const CpuInfo& cpu) {
  return plan_method(request, cpu, ConvolutionMethod::winograd_4x4);
}
Planned plan_winograd_2x4(const KernelRequest& request, const CpuInfo& cpu) {
  return plan_method(request, cpu, ConvolutionMethod::winograd_2x4);
}
Planned plan_winograd_2x2(const KernelRequest& request, const CpuInfo& cpu) {
  return plan_method(request, cpu, ConvolutionMethod::winograd_2x2);
}
Planned plan_direct_convolution(const KernelRequest& request, const CpuInfo& cpu) {
  return plan_method(request, cpu, ConvolutionMethod::direct);
}
Planned plan_matrix_convolution(const KernelRequest& request, const CpuInfo& cpu) {
  return plan_method(request, cpu, ConvolutionMethod::matrix);
}

}  // namespace hornbeam
