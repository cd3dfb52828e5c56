// Reductions over adjoining axes.
#include <algorithm>
#include <map>
#include <optional>

#include "backends/cpu/kernels/reduce.h"
#include "backends/cpu/plans.h"
#include "ops/reduction_kind.h"
#include "ops/reference.h"

namespace hornbeam {
namespace {

struct View {
  int64_t outer = 1, reduced = 1, inner = 1;
};

// The operand as (outer, reduced, inner); empty when the reduced axes do not adjoin. Axes of extent
// 1 do not count.
std::optional<View> view_of(const Shape& shape, const Integers& dimensions) {
  View view;
  bool seen = false, left = false;
  for (int64_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1) continue;
    bool reduced = std::find(dimensions.begin(), dimensions.end(), axis) != dimensions.end();
    if (reduced && left) return {};
    seen |= reduced;
    left |= seen && !reduced;
    (reduced ? view.reduced : seen ? view.inner : view.outer) *= shape[axis];
  }
  return view;
}

const std::map<std::string_view, Reduction>& reductions() {
  static const std::map<std::string_view, Reduction> all{{"add", Reduction::sum},
                                                         {"multiply", Reduction::product},
                                                         {"maximum", Reduction::maximum},
                                                         {"minimum", Reduction::minimum}};
  return all;
}

// Calls visit(first, step, to) for each result: its elements are first + k * step.
template <class Visit>
void for_each_result(const View& view, Visit visit) {
  for (int64_t outer = 0; outer < view.outer; ++outer)
    for (int64_t inner = 0; inner < view.inner; ++inner)
      visit(outer * view.reduced * view.inner + inner, view.inner, outer * view.inner + inner);
}

// As the reference does it, without its bookkeeping for axes apart.
template <class T>
void reduce_lines(const View& view, const std::string& kind, const T* x, T* y) {
  auto combine = combination<Wide<T>>(kind);
  for_each_result(view, [&](int64_t first, int64_t step, int64_t to) {
    Wide<T> total = initial_value<Wide<T>>(kind);
    for (int64_t k = 0; k < view.reduced; ++k) total = combine(total, widen(x[first + k * step]));
    y[to] = narrow<T>(total);
  });
}

// The first greatest number of each line; a NaN counts as the greatest.
template <class T>
void argmax_lines(const View& view, const T* x, int32_t* y) {
  for_each_result(view, [&](int64_t first, int64_t step, int64_t to) {
    int64_t best = 0;
    for (int64_t k = 0; k < view.reduced; ++k) {
      T value = x[first + k * step], greatest = x[first + best * step];
      bool is_nan = value != value;
      if (greatest == greatest && (is_nan || value > greatest)) best = k;
    }
    y[to] = static_cast<int32_t>(best);
  });
}

// An operation for each element.
KernelCost one_each(const KernelRequest& request) {
  return {.operations = static_cast<double>(request.operand(0).shape.elements())};
}

}  // namespace

Planned plan_reduce(const KernelRequest& request, const CpuInfo& cpu) {
  if (request.result().dtype != DType::float32) return Refusal{"not float32"};
  auto view = view_of(request.operand(0).shape, request.node.attrs.integers("dimensions"));
  if (!view) return Refusal{"the reduced axes do not adjoin"};
  Reduce problem{.reduction = reductions().at(request.node.attrs.text("kind")),
                 .outer = view->outer,
                 .reduced = view->reduced,
                 .inner = view->inner};
  return KernelPlan{.memory = {.workspace_bytes = reduce_workspace(problem, cpu.threads)},
                    .cost = one_each(request),
                    .run = [problem](const KernelArguments& on) {
                      reduce(problem, on.operand<float>(0), nullptr, on.result<float>(),
                             on.workspace, on.threads);
                    }};
}

Planned plan_plain_reduce(const KernelRequest& request, const CpuInfo&) {
  auto view = view_of(request.operand(0).shape, request.node.attrs.integers("dimensions"));
  if (!view) return Refusal{"the reduced axes do not adjoin"};
  return KernelPlan{.memory = {},
                    .cost = one_each(request),
                    .run = [view = *view, dtype = request.result().dtype,
                            kind = request.node.attrs.text("kind")](const KernelArguments& on) {
                      visit(dtype, [&]<class T>() {
                        reduce_lines(view, kind, on.operand<T>(0), on.result<T>());
                      });
                    }};
}

Planned plan_argmax(const KernelRequest& request, const CpuInfo&) {
  const Type& x = request.operand(0);
  if (x.dtype == DType::bfloat16) return Refusal{"bfloat16"};
  View view = *view_of(x.shape, {request.node.attrs.integer("axis")});
  return KernelPlan{.memory = {},
                    .cost = one_each(request),
                    .run = [view, dtype = x.dtype](const KernelArguments& on) {
                      visit(dtype, [&]<class T>() {
                        if constexpr (!std::is_same_v<T, BFloat16>)
                          argmax_lines(view, on.operand<T>(0), on.result<int32_t>());
                      });
                    }};
}

}  // namespace hornbeam
