#include "backends/cpu/tile_views.h"

#include <algorithm>

#include "compile/memory_plan.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

// An axis of a value as axes of the memory, outermost first; none for an extent of 1.
using AxisParts = std::vector<TileAxis>;

struct Strides {
  Value source;
  int64_t offset = 0;
  std::vector<AxisParts> axes;  // by axis of the value
};

Strides whole(const Graph& graph, Value value) {
  const Shape& shape = graph.type(value).shape;
  std::vector<int64_t> strides = shape.strides();
  Strides result{.source = value, .axes = {}};
  for (int64_t axis = 0; axis < shape.rank(); ++axis) {
    result.axes.emplace_back();
    if (shape[axis] != 1)
      result.axes.back().push_back({shape[axis], strides[static_cast<size_t>(axis)]});
  }
  return result;
}

Strides broadcast(const Strides& from, const Node& node) {
  const Shape& shape = node.results[0].shape;
  const Integers& dimensions = node.attrs.integers("dimensions");
  Strides result{from.source, from.offset, {}};
  for (int64_t axis = 0; axis < shape.rank(); ++axis) {
    auto found = std::find(dimensions.begin(), dimensions.end(), axis);
    AxisParts parts;
    if (found != dimensions.end())
      parts = from.axes[static_cast<size_t>(found - dimensions.begin())];
    if (parts.empty() && shape[axis] != 1) parts = {{shape[axis], 0}};
    result.axes.push_back(std::move(parts));
  }
  return result;
}

std::optional<Strides> sliced(Strides from, const Shape& operand, const Node& node) {
  const Integers &starts = node.attrs.integers("starts"), &steps = node.attrs.integers("strides");
  for (size_t axis = 0; axis < from.axes.size(); ++axis) {
    int64_t extent = node.results[0].shape[static_cast<int64_t>(axis)];
    AxisParts& parts = from.axes[axis];
    if (extent == operand[static_cast<int64_t>(axis)]) continue;
    if (parts.size() != 1) return {};
    from.offset += starts[axis] * parts[0].stride;
    parts[0] = {extent, parts[0].stride * steps[axis]};
    if (extent == 1) parts.clear();
  }
  return from;
}

// Cuts the axes of the memory anew so that they make the axes of `shape`.
std::optional<Strides> reshaped(const Strides& from, const Shape& shape) {
  std::vector<TileAxis> rest;  // innermost first
  for (size_t axis = from.axes.size(); axis-- > 0;)
    rest.insert(rest.end(), from.axes[axis].rbegin(), from.axes[axis].rend());
  std::reverse(rest.begin(), rest.end());
  Strides result{from.source, from.offset,
                 std::vector<AxisParts>(static_cast<size_t>(shape.rank()))};
  for (int64_t axis = shape.rank(); axis-- > 0;) {
    AxisParts& parts = result.axes[static_cast<size_t>(axis)];
    for (int64_t missing = shape[axis]; missing > 1;) {
      if (rest.empty()) return {};
      TileAxis inner = rest.back();
      rest.pop_back();
      int64_t taken = std::min(missing, inner.extent);
      if (missing % taken != 0 || inner.extent % taken != 0) return {};
      if (inner.extent > taken) rest.push_back({inner.extent / taken, inner.stride * taken});
      parts.insert(parts.begin(), {taken, inner.stride});
      missing /= taken;
    }
  }
  return result;
}

std::optional<Strides> strides_of(const Graph& graph, Value value);

// Of a node that only moves elements.
std::optional<Strides> moved(const Graph& graph, const Node& node) {
  std::optional<Strides> operand = strides_of(graph, node.operands[0]);
  if (!operand) return {};
  if (node.op == &broadcast_in_dim_op) return broadcast(*operand, node);
  if (node.op == &slice_op) return sliced(*operand, graph.type(node.operands[0]).shape, node);
  return reshaped(*operand, node.results[0].shape);
}

std::optional<Strides> strides_of(const Graph& graph, Value value) {
  const Node& node = graph.node(value);
  bool moves = node.op == &broadcast_in_dim_op || node.op == &slice_op || node.op == &reshape_op;
  return moves ? moved(graph, node) : whole(graph, value);
}

// One axis where two follow each other in memory or both repeat.
std::vector<TileAxis> merged(const Strides& strides) {
  std::vector<TileAxis> axes;
  for (const AxisParts& parts : strides.axes)
    for (const TileAxis& part : parts) {
      if (!axes.empty() && axes.back().stride == part.extent * part.stride)
        axes.back() = {axes.back().extent * part.extent, part.stride};
      else
        axes.push_back(part);
    }
  return axes;
}

std::optional<TileView> tile_view(const Strides& strides) {
  TileView view{.source = strides.source, .offset = strides.offset};
  std::vector<TileAxis> axes = merged(strides);
  auto is = [&](size_t axis, int64_t stride) { return axes[axis].stride == stride; };
  if (axes.empty() || (axes.size() == 1 && is(0, 0))) {
    view.access = TileAccess::scalar;
  } else if (axes.size() == 1 && is(0, 1)) {
    view.access = TileAccess::contiguous;
  } else if (axes.size() == 2 && is(0, 0) && is(1, 1)) {
    view.access = TileAccess::row, view.extent = axes[1].extent;
  } else if (axes.size() == 2 && is(0, 1) && is(1, 0)) {
    view.access = TileAccess::column, view.extent = axes[1].extent;
  } else {
    const TileAxis& last = axes.back();
    bool runs = (last.stride == 0 || last.stride == 1) && last.extent >= shortest_run;
    if (!runs || axes.size() > most_tile_axes) return {};
    view.access = TileAccess::strided, view.axes = std::move(axes);
  }
  return view;
}

}  // namespace

std::optional<TileView> view_of(const Graph& graph, Value value) {
  std::optional<Strides> strides = strides_of(graph, value);
  return strides ? tile_view(*strides) : std::nullopt;
}

bool tiles_read(const Graph& graph, const Node& view) {
  if (view.results[0].shape.elements() == 0) return false;
  std::optional<Strides> strides = moved(graph, view);
  return strides && tile_view(*strides);
}

bool is_view(const Graph& graph, const Node& node) {
  if (node.op == &broadcast_in_dim_op) return true;
  if (node.op == &slice_op) return !view_offset(graph, node);
  return node.op == &reshape_op && graph.node(node.operands[0]).op == &broadcast_in_dim_op;
}

}  // namespace hornbeam
