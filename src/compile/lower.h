// The lower pass: the ops that StableHLO has not, in the terms of those it has.
//
// random_bits becomes the rounds of Threefry as integer arithmetic, scan becomes a while whose
// state is a counter, the operands and the outputs so far. Every bit is kept.
#pragma once

#include "compile/pipeline.h"

namespace hornbeam {

// Graphs inside of nodes are lowered too.
Graph lower(const Graph& graph);

// What a graph goes through before it is printed as StableHLO: the neutral passes without any
// composite claimed, and lower. The replicas are shared by so many devices.
std::vector<Pass> stablehlo_passes(const CompileOptions& options, int devices = 1);

}  // namespace hornbeam
