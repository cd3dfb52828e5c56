// The vector loops behind tile_program.h: each works on a tile of registers.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/tile_program.h"

namespace hornbeam {

// Runs instructions on tiles: `at` says where that of each register is, `count` is at most
// tile_floats and rounded up to vectors, `first` is the number of the tile's first element, even.
void run_instructions(std::span<const TileInstruction> instructions, float* const* at,
                      std::span<const uint64_t> keys, int64_t first, int64_t count);

// Elements [first, first + count) of an operand, as float32.
void load_tile(const TileInput& input, const void* from, int64_t first, int64_t count, float* to);
void store_tile(DType dtype, const float* from, int64_t first, int64_t count, void* to);

// Adds the rows of `columns` elements in [from, from + count) to sums[columns].
void add_rows(const float* from, int64_t count, int64_t columns, float* sums);

}  // namespace hornbeam
