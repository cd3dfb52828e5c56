// Turns graphs of elementwise nodes into tile programs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "backends/cpu/kernels/tile_program.h"
#include "ir/graph.h"

namespace hornbeam {

// A tile program and where its inputs come from.
struct LoweredBody {
  TileProgram program;
  int64_t count = 0;        // elements of the iteration shape
  std::vector<int> inputs;  // for each program input: the number of a body input, or -1 - table
  std::vector<int> keys;    // body inputs that hold the keys of random numbers
  std::vector<std::vector<float>> tables;  // constants and countings
};

// The program of a body whose outputs have one shape, or the reason why there is none.
std::variant<LoweredBody, std::string> lower_to_tiles(const Graph& body);

// Whether a tile program does this node as a part of a larger body.
bool tiles_take(const Graph& graph, const Node& node);

}  // namespace hornbeam
