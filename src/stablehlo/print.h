// A graph as the text of a StableHLO module: what a PJRT plugin compiles.
//
// One function `main` whose arguments and results are the graph's inputs and outputs, in order. A
// state argument says with `tf.aliasing_output` which result takes over its memory. Every op stands
// in MLIR's generic form, with features that StableHLO has had since 1.5 at the latest:
//
//   %3 = "stablehlo.add"(%1, %2) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
#pragma once

#include <string>

#include "ir/graph.h"
#include "runtime/backend.h"

namespace hornbeam {

struct StablehloOptions {
  int devices = 1;  // that run the program side by side; all_reduce sums over them
  MatmulPrecision matmul_precision = MatmulPrecision::highest;
};

// The graph consists of core ops without random_bits and scan (compile/lower.h); H704 otherwise.
std::string print_stablehlo(const Graph& graph, const StablehloOptions& options = {});

}  // namespace hornbeam
