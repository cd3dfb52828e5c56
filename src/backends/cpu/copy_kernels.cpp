// Ops that move elements of any type, as copies with strides.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "backends/cpu/kernels/strided_copy.h"
#include "backends/cpu/plans.h"
#include "ir/interpret.h"

namespace hornbeam {
namespace {

// A copy of a block: element (i0, …) goes from from_offset + sum(i * from) to to_offset + sum(i *
// to), in elements.
struct BlockCopy {
  std::vector<int64_t> sizes, from, to;
  int64_t from_offset = 0, to_offset = 0;
};

// The same copy over fewer axes: without those of extent 1, neighbours joined where both sides are
// one run.
BlockCopy joined(const BlockCopy& copy) {
  BlockCopy result{.from_offset = copy.from_offset, .to_offset = copy.to_offset};
  for (size_t axis = 0; axis < copy.sizes.size(); ++axis) {
    int64_t size = copy.sizes[axis];
    if (size == 1) continue;
    bool one_run = !result.sizes.empty() && result.from.back() == size * copy.from[axis] &&
                   result.to.back() == size * copy.to[axis];
    if (one_run) {
      result.sizes.back() *= size;
      result.from.back() = copy.from[axis], result.to.back() = copy.to[axis];
      continue;
    }
    result.sizes.push_back(size);
    result.from.push_back(copy.from[axis]);
    result.to.push_back(copy.to[axis]);
  }
  return result;
}

struct ReadyCopy {
  StridedCopy problem;
  int64_t from_bytes = 0, to_bytes = 0;  // offsets
  bool empty = false;
};

std::optional<ReadyCopy> ready(const BlockCopy& copy, int64_t element_bytes) {
  BlockCopy few = joined(copy);
  if (few.sizes.size() > copy_axes) return {};
  ReadyCopy result{.from_bytes = few.from_offset * element_bytes,
                   .to_bytes = few.to_offset * element_bytes};
  result.problem.sizes.fill(1), result.problem.from.fill(0), result.problem.to.fill(0);
  size_t unused = static_cast<size_t>(copy_axes) - few.sizes.size();
  std::copy(few.sizes.begin(), few.sizes.end(), result.problem.sizes.begin() + unused);
  std::copy(few.from.begin(), few.from.end(), result.problem.from.begin() + unused);
  std::copy(few.to.begin(), few.to.end(), result.problem.to.begin() + unused);
  result.empty = std::count(few.sizes.begin(), few.sizes.end(), 0) > 0;
  return result;
}

int64_t element_bytes(const KernelRequest& request) {
  return static_cast<int64_t>(size_of(request.result().dtype));
}

// A slice reads no more than it writes.
double copied_bytes(const KernelRequest& request) {
  int64_t bytes = request.result().bytes();
  for (const Type& operand : request.operands)
    bytes += std::min(operand.bytes(), request.result().bytes());
  return static_cast<double>(bytes);
}

// One copy for each operand (or the first alone), into the one result.
Planned plan_copies(const KernelRequest& request, const std::vector<BlockCopy>& blocks) {
  int64_t bytes = element_bytes(request);
  std::vector<ReadyCopy> copies;
  for (const BlockCopy& block : blocks) {
    std::optional<ReadyCopy> copy = ready(block, bytes);
    if (!copy) return Refusal{"more than six axes that cannot be joined"};
    copies.push_back(*copy);
  }
  return KernelPlan{.memory = {},
                    .cost = {.bytes = copied_bytes(request)},
                    .run = [copies, bytes](const KernelArguments& on) {
                      for (size_t i = 0; i < copies.size(); ++i)
                        if (!copies[i].empty)
                          strided_copy(copies[i].problem, bytes,
                                       on.operands[i] + copies[i].from_bytes,
                                       on.results[0] + copies[i].to_bytes, on.threads);
                    }};
}

size_t rank_of(const Shape& shape) { return static_cast<size_t>(shape.rank()); }

// --- what each op copies ---

BlockCopy broadcast_copy(const Shape& x, const Shape& y, const Integers& dimensions) {
  std::vector<int64_t> from(rank_of(y), 0), own = x.strides();
  for (size_t i = 0; i < dimensions.size(); ++i)
    if (x[static_cast<int64_t>(i)] != 1) from[static_cast<size_t>(dimensions[i])] = own[i];
  return {.sizes = y.extents(), .from = from, .to = y.strides()};
}

BlockCopy transpose_copy(const Shape& x, const Shape& y, const Integers& permutation) {
  std::vector<int64_t> from, own = x.strides();
  for (int64_t axis : permutation) from.push_back(own[static_cast<size_t>(axis)]);
  return {.sizes = y.extents(), .from = from, .to = y.strides()};
}

BlockCopy slice_copy(const Shape& x, const Shape& y, const Integers& starts,
                     const Integers& strides) {
  BlockCopy copy{.sizes = y.extents(), .from = x.strides(), .to = y.strides()};
  for (size_t axis = 0; axis < starts.size(); ++axis) {
    copy.from_offset += starts[axis] * copy.from[axis];
    copy.from[axis] *= strides[axis];
  }
  return copy;
}

BlockCopy reverse_copy(const Shape& x, const Integers& dimensions) {
  BlockCopy copy{.sizes = x.extents(), .from = x.strides(), .to = x.strides()};
  for (int64_t axis : dimensions) {
    int64_t& stride = copy.from[static_cast<size_t>(axis)];
    copy.from_offset += (x[axis] - 1) * stride;
    stride = -stride;
  }
  return copy;
}

// The elements of x that are inside the padded result: negative padding cuts some away.
BlockCopy pad_copy(const Shape& x, const Shape& y, const Attrs& attrs) {
  BlockCopy copy{.sizes = x.extents(), .from = x.strides(), .to = y.strides()};
  for (size_t axis = 0; axis < copy.sizes.size(); ++axis) {
    int64_t low = attrs.integers("low")[axis], step = attrs.integers("interior")[axis] + 1;
    int64_t extent = y[static_cast<int64_t>(axis)];
    int64_t first = low < 0 ? (-low + step - 1) / step : 0;
    int64_t last =
        std::min(copy.sizes[axis], extent - low <= 0 ? 0 : (extent - low - 1) / step + 1);
    copy.sizes[axis] = std::max<int64_t>(0, last - first);
    copy.from_offset += first * copy.from[axis];
    copy.to_offset += (low + first * step) * copy.to[axis];
    copy.to[axis] *= step;
  }
  return copy;
}

}  // namespace

Planned plan_broadcast(const KernelRequest& request, const CpuInfo&) {
  return plan_copies(request, {broadcast_copy(request.operand(0).shape, request.result().shape,
                                              request.node.attrs.integers("dimensions"))});
}

Planned plan_transpose(const KernelRequest& request, const CpuInfo&) {
  return plan_copies(request, {transpose_copy(request.operand(0).shape, request.result().shape,
                                              request.node.attrs.integers("permutation"))});
}

Planned plan_slice(const KernelRequest& request, const CpuInfo&) {
  return plan_copies(request, {slice_copy(request.operand(0).shape, request.result().shape,
                                          request.node.attrs.integers("starts"),
                                          request.node.attrs.integers("strides"))});
}

Planned plan_reverse(const KernelRequest& request, const CpuInfo&) {
  return plan_copies(
      request, {reverse_copy(request.operand(0).shape, request.node.attrs.integers("dimensions"))});
}

Planned plan_concatenate(const KernelRequest& request, const CpuInfo&) {
  std::vector<int64_t> to = request.result().shape.strides();
  size_t axis = static_cast<size_t>(request.node.attrs.integer("dimension"));
  std::vector<BlockCopy> copies;
  int64_t offset = 0;
  for (const Type& part : request.operands) {
    copies.push_back({.sizes = part.shape.extents(),
                      .from = part.shape.strides(),
                      .to = to,
                      .to_offset = offset * to[axis]});
    offset += part.shape.extents()[axis];
  }
  return plan_copies(request, copies);
}

// The padding value first, everywhere; then x over it.
Planned plan_pad(const KernelRequest& request, const CpuInfo&) {
  const Shape &x = request.operand(0).shape, &y = request.result().shape;
  int64_t bytes = element_bytes(request);
  std::optional<ReadyCopy> inside = ready(pad_copy(x, y, request.node.attrs), bytes);
  std::optional<ReadyCopy> value = ready(broadcast_copy({}, y, {}), bytes);
  if (!inside) return Refusal{"more than six axes that cannot be joined"};
  return KernelPlan{
      .memory = {}, .run = [bytes, inside = *inside, value = *value](const KernelArguments& on) {
        if (!value.empty)
          strided_copy(value.problem, bytes, on.operands[1], on.results[0], on.threads);
        if (!inside.empty)
          strided_copy(inside.problem, bytes, on.operands[0] + inside.from_bytes,
                       on.results[0] + inside.to_bytes, on.threads);
      }};
}

// Counted once; every run copies.
Planned plan_iota(const KernelRequest& request, const CpuInfo&) {
  constexpr int64_t largest = 1 << 20;
  if (request.result().bytes() > largest) return Refusal{"a long counting is not kept"};
  auto counted = std::make_shared<Tensor>(std::move(interpret_node(request.node, {})[0]));
  return KernelPlan{.memory = {}, .run = [counted](const KernelArguments& on) {
                      std::memcpy(on.results[0], counted->data(), counted->bytes());
                    }};
}

}  // namespace hornbeam
