// Batch normalisation over all axes but the last.
#include <algorithm>
#include <cmath>

#include "backends/cpu/kernels/batch_normalization.h"
#include "backends/cpu/kernels/workspace.h"
#include "backends/cpu/plans.h"

namespace hornbeam {
namespace {

// The rows of one sample are those of its other axes. `valid_samples` is known when running.
struct Samples {
  BatchNormalization problem;
  int64_t batch = 0;
  int64_t rows_of_one = 1;

  BatchNormalization with_valid(int32_t valid) const {
    BatchNormalization result = problem;
    result.valid_rows = std::clamp<int64_t>(valid, 0, batch) * rows_of_one;
    return result;
  }
};

Samples samples_of(const KernelRequest& request) {
  const Shape& shape = request.operand(0).shape;
  int64_t channels = shape[shape.rank() - 1], batch = shape[0];
  int64_t rows = channels == 0 ? 0 : shape.elements() / channels;
  Samples samples{{.rows = rows,
                   .channels = channels,
                   .valid_rows = rows,
                   .epsilon = static_cast<float>(request.node.attrs.number("epsilon"))},
                  batch,
                  batch == 0 ? 0 : rows / batch};
  return samples;
}

std::string refusal_of(const KernelRequest& request) {
  if (request.result().dtype != DType::float32) return "not float32";
  int64_t last = request.operand(0).shape.rank() - 1;
  return request.node.attrs.integer("axis") == last ? "" : "the channels are not the last axis";
}

// The vector of one value a channel stands before the kernel's own workspace.
int64_t workspace_bytes(const Samples& samples, const CpuInfo& cpu) {
  WorkspaceCutter cutter;
  cutter.take(samples.problem.channels);
  return cutter.bytes() + batch_normalization_workspace(samples.problem, cpu.threads);
}

struct Workspace {
  float* inverse_stddev;
  std::byte* rest;
};

Workspace cut(const Samples& samples, std::byte* workspace) {
  WorkspaceCutter cutter(workspace);
  float* vector = cutter.take(samples.problem.channels);
  return {vector, workspace + cutter.bytes()};
}

// Operands: x, gamma, beta, valid. Results: y, mean, variance.
void run_training(const Samples& samples, const KernelArguments& on) {
  Workspace workspace = cut(samples, on.workspace);
  batch_normalization_forward(samples.with_valid(*on.operand<int32_t>(3)), on.operand<float>(0),
                              on.operand<float>(1), on.operand<float>(2), on.result<float>(0),
                              {.mean = on.result<float>(1),
                               .variance = on.result<float>(2),
                               .inverse_stddev = workspace.inverse_stddev},
                              workspace.rest, on.threads);
}

// Operands: x, gamma, mean, variance, valid, dy. Results: the gradients of x, gamma, beta.
void run_gradient(const Samples& samples, const KernelArguments& on) {
  Workspace workspace = cut(samples, on.workspace);
  const float* variance = on.operand<float>(3);
  for (int64_t channel = 0; channel < samples.problem.channels; ++channel)
    workspace.inverse_stddev[channel] = 1 / std::sqrt(variance[channel] + samples.problem.epsilon);
  batch_normalization_backward(
      samples.with_valid(*on.operand<int32_t>(4)), on.operand<float>(0), on.operand<float>(5),
      on.operand<float>(2), workspace.inverse_stddev, on.operand<float>(1),
      {.x = on.result<float>(0), .gamma = on.result<float>(1), .beta = on.result<float>(2)},
      workspace.rest, on.threads);
}

// For each element: sums, squares about the mean and the normalisation; about as many backward.
constexpr double operations_each = 9;

double elements_of(const Samples& samples) {
  return static_cast<double>(samples.problem.rows * samples.problem.channels);
}

}  // namespace

// Reads x twice: for the statistics, then to normalise.
Planned plan_batch_norm_training(const KernelRequest& request, const CpuInfo& cpu) {
  if (std::string reason = refusal_of(request); !reason.empty()) return Refusal{reason};
  Samples samples = samples_of(request);
  const double elements = elements_of(samples);
  return KernelPlan{
      .memory = {.workspace_bytes = workspace_bytes(samples, cpu), .may_overwrite = {{0, 0}}},
      .cost = {.operations = operations_each * elements,
               .bytes = bytes_once(request) + 4 * elements},
      .run = [samples](const KernelArguments& on) { run_training(samples, on); }};
}

// Reads x and dy twice.
Planned plan_batch_norm_gradient(const KernelRequest& request, const CpuInfo& cpu) {
  if (std::string reason = refusal_of(request); !reason.empty()) return Refusal{reason};
  Samples samples = samples_of(request);
  const double elements = elements_of(samples);
  return KernelPlan{.memory = {.workspace_bytes = workspace_bytes(samples, cpu),
                               .may_overwrite = {{0, 5}, {0, 0}}},
                    .cost = {.operations = operations_each * elements,
                             .bytes = bytes_once(request) + 8 * elements},
                    .run = [samples](const KernelArguments& on) { run_gradient(samples, on); }};
}

}  // namespace hornbeam
