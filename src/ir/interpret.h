// Runs a graph on the host with the reference meaning of every op: slow, obvious, the oracle.
#pragma once

#include <functional>
#include <vector>

#include "ir/graph.h"

namespace hornbeam {

// The outputs for the given inputs, which must have the types of the graph's inputs (H701).
// `node_done` is called after every node that is no input, when set.
std::vector<Tensor> interpret(const Graph& graph, std::span<const Tensor> inputs,
                              const std::function<void()>& node_done = {});

// The results of one node for the given operands.
std::vector<Tensor> interpret_node(const Node& node, std::span<const Tensor* const> operands);

}  // namespace hornbeam
