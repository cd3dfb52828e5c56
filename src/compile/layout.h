// The layout pass: pictures become channels_last, the one format that kernels of the CPU know.
#pragma once

#include "ir/graph.h"

namespace hornbeam {

// Convolutions, pooling and batch normalisation with channels_first work on transposed pictures;
// the transposes move towards the outputs, through elementwise ops, pad, slice, concatenate and
// reductions, and cancel where they meet. What a reduction adds up may come in another order.
Graph channels_last(const Graph& graph);

}  // namespace hornbeam
