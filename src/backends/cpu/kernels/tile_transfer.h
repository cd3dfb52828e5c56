// Between memory and the tiles of tile_program.h: every layout and element type, as vector loops.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/tile_program.h"

namespace hornbeam {

// Elements [first, first + count) of an operand, as float32.
void load_tile(const TileInput& input, const void* from, int64_t first, int64_t count, float* to);
void store_tile(DType dtype, const float* from, int64_t first, int64_t count, void* to);

// Adds the rows of `columns` elements in [from, from + count) to sums[columns].
void add_rows(const float* from, int64_t count, int64_t columns, float* sums);

}  // namespace hornbeam
