// The simplify pass: the same values from fewer nodes. Every rule keeps the bits of the results,
// signed zeros included (x + 0 is no identity: -0 + 0 is +0); only the payload of a NaN may differ.
#pragma once

#include "ir/graph.h"

namespace hornbeam {

Graph simplify(const Graph& graph);

}  // namespace hornbeam
