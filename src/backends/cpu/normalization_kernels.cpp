// Statistics of batch normalisation over all axes but the last.
#include <algorithm>

#include "backends/cpu/kernels/batch_statistics.h"
#include "backends/cpu/plans.h"

namespace hornbeam {

// Operands: x, valid (samples). Results: mean, variance.
Planned plan_batch_norm_statistics(const KernelRequest& request, const CpuInfo&) {
  if (request.result().dtype != DType::float32) return Refusal{"not float32"};
  const Shape& shape = request.operand(0).shape;
  if (request.node.attrs.integer("axis") != shape.rank() - 1)
    return Refusal{"the channels are not the last axis"};
  const int64_t channels = shape[shape.rank() - 1], batch = shape[0];
  const int64_t rows_of_one = shape.elements() / std::max<int64_t>(1, channels * batch);
  BatchStatistics problem{.rows = rows_of_one * batch, .channels = channels, .valid_rows = 0};
  // Sums, then squares and sums about the mean; x stays in the cache between them.
  return KernelPlan{.memory = {.workspace_bytes = batch_statistics_workspace(problem)},
                    .cost = {.operations = 6 * static_cast<double>(shape.elements())},
                    .run = [problem, batch, rows_of_one](const KernelArguments& on) {
                      BatchStatistics real = problem;
                      real.valid_rows =
                          std::clamp<int64_t>(*on.operand<int32_t>(1), 0, batch) * rows_of_one;
                      batch_statistics(real, on.operand<float>(0), on.result<float>(0),
                                       on.result<float>(1), on.workspace, on.threads);
                    }};
}

}  // namespace hornbeam
