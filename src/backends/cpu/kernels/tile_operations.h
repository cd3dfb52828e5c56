// The instructions of tile_program.h, as vector loops over tiles.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/tile_program.h"

namespace hornbeam {

// Runs instructions on tiles: `at` says where that of each register is, `count` is at most
// tile_floats and rounded up to vectors, `first` is the number of the tile's first element, even.
void run_instructions(std::span<const TileInstruction> instructions, float* const* at,
                      std::span<const uint64_t> keys, int64_t first, int64_t count);

}  // namespace hornbeam
