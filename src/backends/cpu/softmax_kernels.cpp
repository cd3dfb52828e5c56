// Softmax and log-softmax along the last axis.
#include "backends/cpu/kernels/softmax.h"
#include "backends/cpu/plans.h"

namespace hornbeam {
namespace {

using SoftmaxKernel = void (*)(int64_t rows, int64_t columns, const float* x, float* y,
                               ThreadPool& threads);

Planned plan_rows(const KernelRequest& request, SoftmaxKernel kernel) {
  const Shape& shape = request.operand(0).shape;
  if (request.result().dtype != DType::float32) return Refusal{"not float32"};
  if (shape.rank() == 0 ||
      normalized_axis(request.node.attrs.integer("axis"), shape.rank()) != shape.rank() - 1)
    return Refusal{"not along the last axis"};
  int64_t columns = shape[shape.rank() - 1];
  int64_t rows = columns == 0 ? 0 : shape.elements() / columns;
  // For each element: the maximum, a difference, exp, a sum, a quotient.
  const double operations = 5 * static_cast<double>(shape.elements());
  return KernelPlan{.memory = {.may_overwrite = {{0, 0}}},
                    .cost = {.operations = operations},
                    .run = [=](const KernelArguments& on) {
                      kernel(rows, columns, on.operand<float>(0), on.result<float>(), on.threads);
                    }};
}

}  // namespace

Planned plan_softmax(const KernelRequest& request, const CpuInfo&) {
  return plan_rows(request, softmax);
}

Planned plan_log_softmax(const KernelRequest& request, const CpuInfo&) {
  return plan_rows(request, log_softmax);
}

}  // namespace hornbeam
