#include "backends/cpu/product_kernels.h"

#include <algorithm>

#include "backends/cpu/kernels/convolution.h"
#include "backends/cpu/kernels/gemm.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

// --- dot_general ---

// One side of a product as a matrix: whether its contracted axes stand first or last.
enum class Contracted { first, last, apart };

Contracted contracted_at(const Integers& axes, int64_t rank) {
  bool first = true, last = true;
  for (size_t i = 0; i < axes.size(); ++i) {
    first &= axes[i] == static_cast<int64_t>(i);
    last &= axes[i] == rank - static_cast<int64_t>(axes.size() - i);
  }
  return last ? Contracted::last : first ? Contracted::first : Contracted::apart;
}

int64_t extent_of(const Shape& shape, const Integers& axes) {
  int64_t product = 1;
  for (int64_t axis : axes) product *= shape[axis];
  return product;
}

bool is_float32(const KernelRequest& request) {
  return std::ranges::all_of(request.operands, [](const Type& type) {
    return type.dtype == DType::float32;
  });
}

// --- convolution ---

struct Problem {
  Convolution convolution;
  std::string refusal;
};

Problem convolution_of(const Node& node, const Shape& x, const Shape& kernel) {
  const Attrs& attrs = node.attrs;
  if (x.rank() != 4) return {{}, "not two spatial axes"};
  if (attrs.text("data_format") != "channels_last") return {{}, "channels first"};
  const Integers &strides = attrs.integers("strides"), &low = attrs.integers("padding_low"),
                 &high = attrs.integers("padding_high"), &dilation = attrs.integers("dilation");
  return {{.batch = x[0],
           .height = x[1],
           .width = x[2],
           .in_channels = x[3],
           .kernel_height = kernel[0],
           .kernel_width = kernel[1],
           .out_channels = kernel[3],
           .stride_height = strides[0],
           .stride_width = strides[1],
           .padding_top = low[0],
           .padding_bottom = high[0],
           .padding_left = low[1],
           .padding_right = high[1],
           .dilation_height = dilation[0],
           .dilation_width = dilation[1],
           .groups = attrs.integer("groups")},
          ""};
}

using Run = void (*)(const Convolution&, ConvolutionMethod, const float*, const float*, float*,
                     void*, ThreadPool&);

// The first method that does the pass.
Planned planned(const KernelRequest& request, const CpuInfo& cpu, const Problem& problem,
                ConvolutionPass pass, Run run) {
  if (!is_float32(request)) return Refusal{"not float32"};
  if (!problem.refusal.empty()) return Refusal{problem.refusal};
  const Convolution& convolution = problem.convolution;
  std::string refusals;
  for (ConvolutionMethod method :
       {ConvolutionMethod::winograd, ConvolutionMethod::direct, ConvolutionMethod::matrix}) {
    std::string reason = convolution_refusal(convolution, pass, method);
    if (!reason.empty()) {
      refusals += (refusals.empty() ? "" : "; ") + std::string(name_of(method)) + ": " + reason;
      continue;
    }
    return KernelPlan{
        .memory = {.workspace_bytes = convolution_workspace(convolution, pass, method, cpu.threads)},
        .run =
            [convolution, method, run](const KernelArguments& arguments) {
              run(convolution, method, arguments.operand<float>(0), arguments.operand<float>(1),
                  arguments.result<float>(), arguments.workspace, arguments.threads);
            },
        .detail = std::string(name_of(method))};
  }
  return Refusal{refusals};
}

}  // namespace

Planned plan_gemm(const KernelRequest& request, const CpuInfo& cpu) {
  const Attrs& attrs = request.node.attrs;
  if (!is_float32(request)) return Refusal{"not float32"};
  if (!attrs.integers("lhs_batching").empty()) return Refusal{"batching axes"};
  const Integers &left = attrs.integers("lhs_contracting"), &right = attrs.integers("rhs_contracting");
  const Shape &a = request.operand(0).shape, &b = request.operand(1).shape;
  Contracted at_left = contracted_at(left, a.rank()), at_right = contracted_at(right, b.rank());
  if (at_left == Contracted::apart || at_right == Contracted::apart)
    return Refusal{"contracted axes that do not stand together"};
  int64_t depth = extent_of(a, left);
  if (depth == 0 || a.elements() == 0 || b.elements() == 0) return Refusal{"empty operands"};
  Gemm problem = dense_gemm(a.elements() / depth, b.elements() / depth, depth,
                            at_left == Contracted::first, at_right == Contracted::last);
  return KernelPlan{
      .memory = {.workspace_bytes = gemm_workspace(problem, cpu.threads)},
      .run = [problem](const KernelArguments& arguments) {
        gemm(problem, arguments.operand<float>(0), arguments.operand<float>(1), nullptr,
             arguments.result<float>(), arguments.workspace, arguments.threads);
      }};
}

Planned plan_convolution(const KernelRequest& request, const CpuInfo& cpu) {
  Problem problem =
      convolution_of(request.node, request.operand(0).shape, request.operand(1).shape);
  return planned(request, cpu, problem, ConvolutionPass::forward,
                 [](const Convolution& c, ConvolutionMethod method, const float* x,
                    const float* kernel, float* y, void* workspace, ThreadPool& threads) {
                   convolution_forward(c, method, x, kernel, nullptr, y, workspace, threads);
                 });
}

Planned plan_convolution_input_gradient(const KernelRequest& request, const CpuInfo& cpu) {
  Problem problem =
      convolution_of(request.node, request.result().shape, request.operand(1).shape);
  return planned(request, cpu, problem, ConvolutionPass::gradient_to_input,
                 convolution_gradient_to_input);
}

Planned plan_convolution_kernel_gradient(const KernelRequest& request, const CpuInfo& cpu) {
  Problem problem =
      convolution_of(request.node, request.operand(0).shape, request.result().shape);
  return planned(request, cpu, problem, ConvolutionPass::gradient_to_kernel,
                 convolution_gradient_to_kernel);
}

}  // namespace hornbeam
