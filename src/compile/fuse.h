// The fuse pass: chains of elementwise nodes become one node that passes over memory once.
//
// Broadcasts, constants and countings (iota) cost nothing inside a fused node. Work is done twice
// only where that moves fewer bytes: a value that can be had from what a node reads anyway is not
// written for it. Each operation is rounded as it would be alone, so no bit of a result changes.
//
// Sums of rows (compile/fused.h) end a fused node: what they add up is never written. Sums over the
// same elements are one node.
#pragma once

#include <functional>

#include "ir/graph.h"

namespace hornbeam {

// What the backend's kernel for fused nodes can do.
struct FuseRules {
  // Whether it does this node: an elementwise op, a sum of rows, a constant, an iota, an op that
  // makes each element from scalars and its index (random_bits), or a broadcast, slice or reshape
  // through which it can read an operand.
  std::function<bool(const Graph&, const Node&)> takes;
  size_t most_inputs = 24;
  size_t most_outputs = 8;
  size_t most_nodes = 64;
};

// A node joins the group of its users when all of them are in one group; then groups of which one
// uses what the other gives are merged when nothing costly runs between them (the new weight, and
// both moments of an optimizer, in one pass).
Graph fuse(const Graph& graph, const FuseRules& rules);

}  // namespace hornbeam
