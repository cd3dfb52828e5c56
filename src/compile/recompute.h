// The recompute pass: values that cost little are computed again for their late uses, instead of
// living through the moment when most memory is needed (Chen et al., 2016, "Training deep nets with
// sublinear memory cost", with the choice made value by value).
#pragma once

#include <functional>

#include "ir/graph.h"

namespace hornbeam {

struct RecomputeRules {
  // Whether a node takes little more time than reading what it computes.
  std::function<bool(const Node&)> is_cheap;
};

// At the moment when most bytes are alive, the largest value that is not needed then, and whose
// operands are alive again where it is, is computed anew there; until none is left. The copy stands
// behind an optimization_barrier, so that it does not become one with the first.
Graph recompute(const Graph& graph, const RecomputeRules& rules);

}  // namespace hornbeam
