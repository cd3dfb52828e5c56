// The pooling pass: average pooling over windows that do not overlap becomes arithmetic.
//
// The windows' cells are strided slices, which move up through elementwise operations; the gradient
// is a broadcast. The fuse pass then joins pooling with what stands before and behind it, and the
// values in front of the pooling are never written.
#pragma once

#include "ir/graph.h"

namespace hornbeam {

// Pictures of fewer than `fewest_channels` are left to a kernel.
Graph pooling_as_arithmetic(const Graph& graph, int64_t fewest_channels);

}  // namespace hornbeam
