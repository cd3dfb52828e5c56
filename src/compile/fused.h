// fused: a node whose body is a graph of elementwise ops, run in one pass over memory.
//
// Operands are the body's inputs, results its outputs. All outputs have one shape, the iteration
// shape; inputs have that shape or are broadcast to it inside the body.
#pragma once

#include "ir/op.h"

namespace hornbeam {

extern const OpDef fused_op;

}  // namespace hornbeam
