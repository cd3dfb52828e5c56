// Pooling of float32 pictures with channels last; sequences are pictures of one row.
#include <fmt/format.h>

#include "backends/cpu/kernels/pooling.h"
#include "backends/cpu/plans.h"

namespace hornbeam {
namespace {

Pooling problem_of(const Shape& input, const Attrs& attrs) {
  size_t spatial = static_cast<size_t>(input.rank()) - 2, width = spatial - 1;
  auto vertical = [&](std::string_view name, int64_t missing) {
    return spatial == 2 ? attrs.integers(name)[0] : missing;
  };
  return {.batch = input[0],
          .height = spatial == 2 ? input[1] : 1,
          .width = input[input.rank() - 2],
          .channels = input[input.rank() - 1],
          .window_height = vertical("window", 1),
          .window_width = attrs.integers("window")[width],
          .stride_height = vertical("strides", 1),
          .stride_width = attrs.integers("strides")[width],
          .padding_top = vertical("padding_low", 0),
          .padding_bottom = vertical("padding_high", 0),
          .padding_left = attrs.integers("padding_low")[width],
          .padding_right = attrs.integers("padding_high")[width]};
}

// One for every pixel of every window.
double operations_of(const Pooling& p) {
  return static_cast<double>(p.batch * p.out_height() * p.out_width() * p.channels) *
         static_cast<double>(p.window_height * p.window_width);
}

// `input` is the shape of the pictures that are pooled.
template <class Run>
Planned plan_pooling(const KernelRequest& request, const Shape& input, Run run) {
  if (request.result().dtype != DType::float32) return Refusal{"not float32"};
  if (request.node.attrs.text("data_format") != "channels_last")
    return Refusal{"not channels_last"};
  if (input.rank() != 3 && input.rank() != 4)
    return Refusal{fmt::format("{} spatial axes", input.rank() - 2)};
  Pooling problem = problem_of(input, request.node.attrs);
  return KernelPlan{.memory = {},
                    .cost = {.operations = operations_of(problem)},
                    .run = [problem, run](const KernelArguments& on) { run(problem, on); }};
}

}  // namespace

Planned plan_max_pool(const KernelRequest& request, const CpuInfo&) {
  return plan_pooling(request, request.operand(0).shape,
                      [](const Pooling& problem, const KernelArguments& on) {
                        max_pooling(problem, on.operand<float>(0), on.result<float>(), on.threads);
                      });
}

Planned plan_max_pool_gradient(const KernelRequest& request, const CpuInfo&) {
  return plan_pooling(request, request.operand(0).shape,
                      [](const Pooling& problem, const KernelArguments& on) {
                        max_pooling_gradient(problem, on.operand<float>(0), on.operand<float>(1),
                                             on.result<float>(), on.threads);
                      });
}

Planned plan_average_pool(const KernelRequest& request, const CpuInfo&) {
  return plan_pooling(
      request, request.operand(0).shape, [](const Pooling& problem, const KernelArguments& on) {
        average_pooling(problem, on.operand<float>(0), on.result<float>(), on.threads);
      });
}

Planned plan_average_pool_gradient(const KernelRequest& request, const CpuInfo&) {
  return plan_pooling(
      request, request.result().shape, [](const Pooling& problem, const KernelArguments& on) {
        average_pooling_gradient(problem, on.operand<float>(0), on.result<float>(), on.threads);
      });
}

}  // namespace hornbeam
