// dot_general as (batched) matrix products, and products of which only some elements are wanted.
#include <algorithm>
#include <numeric>
#include <optional>

#include "backends/cpu/kernels/gemm.h"
#include "backends/cpu/kernels/gemm_sampled.h"
#include "backends/cpu/plans.h"

namespace hornbeam {
namespace {

// An operand as a row-major matrix for each batch: (free, contracted), or transposed.
struct MatrixView {
  int64_t batch = 1, free = 1, contracted = 1;
  bool contracted_first = false;
};

bool adjoin(const Integers& axes, int64_t first) {
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i] != first + static_cast<int64_t>(i)) return false;
  return true;
}

int64_t extents(const Shape& shape, int64_t first, size_t count) {
  int64_t product = 1;
  for (size_t i = 0; i < count; ++i) product *= shape[first + static_cast<int64_t>(i)];
  return product;
}

// Empty when the axes do not stand as blocks: batching, then free and contracted in either order.
std::optional<MatrixView> matrix_view(const Shape& shape, const Integers& batching,
                                      const Integers& contracting) {
  int64_t first = static_cast<int64_t>(batching.size());
  size_t free = static_cast<size_t>(shape.rank() - first) - contracting.size();
  int64_t behind = first + static_cast<int64_t>(free);
  if (!adjoin(batching, 0)) return {};
  MatrixView view{.batch = extents(shape, 0, batching.size())};
  if (adjoin(contracting, behind)) {
    view.free = extents(shape, first, free);
    view.contracted = extents(shape, behind, contracting.size());
    return view;
  }
  if (!adjoin(contracting, first)) return {};
  view.contracted_first = true;
  view.contracted = extents(shape, first, contracting.size());
  view.free = extents(shape, first + static_cast<int64_t>(contracting.size()), free);
  return view;
}

Gemm gemm_of(const MatrixView& lhs, const MatrixView& rhs) {
  Gemm problem =
      dense_gemm(lhs.free, rhs.free, lhs.contracted, lhs.contracted_first, !rhs.contracted_first);
  problem.batch = lhs.batch;
  problem.batch_stride_a = lhs.free * lhs.contracted;
  problem.batch_stride_b = rhs.free * rhs.contracted;
  problem.batch_stride_c = lhs.free * rhs.free;
  return problem;
}

double operations_of(const Gemm& problem) {
  return 2 * static_cast<double>(problem.batch * problem.rows) *
         static_cast<double>(problem.columns * problem.depth);
}

}  // namespace

Planned plan_matrix_product(const KernelRequest& request, const CpuInfo& cpu) {
  if (request.result().dtype != DType::float32) return Refusal{"not float32"};
  const Attrs& attrs = request.node.attrs;
  auto lhs = matrix_view(request.operand(0).shape, attrs.integers("lhs_batching"),
                         attrs.integers("lhs_contracting"));
  auto rhs = matrix_view(request.operand(1).shape, attrs.integers("rhs_batching"),
                         attrs.integers("rhs_contracting"));
  if (!lhs || !rhs) return Refusal{"the axes are not batching, rows and columns in order"};
  Gemm problem = gemm_of(*lhs, *rhs);
  return KernelPlan{.memory = {.workspace_bytes = gemm_workspace(problem, cpu.threads)},
                    .cost = {.operations = operations_of(problem)},
                    .run = [problem](const KernelArguments& on) {
                      gemm(problem, on.operand<float>(0), on.operand<float>(1), nullptr,
                           on.result<float>(), on.workspace, on.threads);
                    }};
}

Planned plan_sampled_product(const KernelRequest& request, const CpuInfo& cpu) {
  if (request.result().dtype != DType::float32) return Refusal{"not float32"};
  const Shape &lhs = request.operand(0).shape, &rhs = request.operand(1).shape;
  const SampledGemm problem{lhs[0], rhs[0], lhs[1]};
  if (problem.depth % 32 != 0) return Refusal{"the depth is no multiple of 32"};
  if (problem.rows * problem.columns * problem.depth < int64_t{1} << 21)
    return Refusal{"too small to pay"};
  return KernelPlan{.memory = {.workspace_bytes = sampled_gemm_workspace(problem, cpu.threads)},
                    .cost = {.operations = 2 * static_cast<double>(problem.rows * problem.columns) *
                                           static_cast<double>(problem.depth)},
                    .run = [problem](const KernelArguments& on) {
                      sampled_gemm(problem, on.operand<float>(0), on.operand<float>(1),
                                   on.operand<float>(2), on.result<float>(), on.workspace,
                                   on.threads);
                    }};
}

}  // namespace hornbeam
