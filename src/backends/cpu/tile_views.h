// Which element of an operand a fused node reads when broadcasts, slices and reshapes stand
// between.
#pragma once

#include <optional>

#include "backends/cpu/kernels/tile_program.h"
#include "ir/graph.h"

namespace hornbeam {

// Shorter runs of adjoining elements are better done by kernels of their own.
inline constexpr int64_t shortest_run = 8;

struct TileView {
  Value source;  // made by no view
  TileAccess access = TileAccess::contiguous;
  int64_t extent = 1;
  int64_t offset = 0;
  std::vector<TileAxis> axes = {};  // of strided
};

// How the elements of `value`, in order, lie in the memory of the value that it is a view of; empty
// when tiles cannot read it well.
std::optional<TileView> view_of(const Graph& graph, Value value);

// Whether tiles can read the elements of this view where they are.
bool tiles_read(const Graph& graph, const Node& view);

// A broadcast_in_dim, a reshape of one, or a slice that is no plain piece of memory.
bool is_view(const Graph& graph, const Node& node);

}  // namespace hornbeam
