// fused: a node whose body is a graph of elementwise ops, run in one pass over memory.
//
// Operands are the body's inputs, results its outputs. Everything is computed at one shape, the
// iteration shape; inputs have that shape or are brought to it inside the body by broadcasts,
// slices and reshapes. Outputs have it too, or are sums of its rows.
#pragma once

#include "ir/graph.h"

namespace hornbeam {

extern const OpDef fused_op;

// A reduce that adds float32 over every axis but the last.
bool is_sum_of_rows(const Graph& graph, const Node& node);
Shape iteration_shape(const Graph& body);

}  // namespace hornbeam
