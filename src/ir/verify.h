// The rules of a legal graph, as code: run after every pass.
#pragma once

#include "ir/graph.h"

namespace hornbeam {

// The result types of a node by its op's type rule, after checking attributes and bodies against
// the op's record. Throws H701 with the op's name and operand types.
Types inferred_types(const Node& node, std::span<const Type> operands);

// Throws H702 or H701 when: an operand is not before its user, types differ from the type rule, an
// attribute is missing, unknown or of the wrong kind, a body is malformed, a port does not match,
// or two inputs (or two outputs) share a name.
void verify(const Graph& graph);

}  // namespace hornbeam
