// The vector loops behind tile_program.h: each works on a tile of registers.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/tile_program.h"

namespace hornbeam {

// Tiles of an instruction; `count` is a multiple of 16, at most tile_floats.
struct TileOperands {
  float* to;
  const float* a;
  const float* b;
  const float* c;
  int64_t count;
  uint64_t key;
  uint64_t first;  // number of the tile's first element, even
};

void run_instruction(const TileInstruction& instruction, const TileOperands& on);

// Elements [first, first + count) of an operand, as float32.
void load_tile(const TileInput& input, const void* from, int64_t first, int64_t count, float* to);
void store_tile(DType dtype, const float* from, int64_t first, int64_t count, void* to);

// Adds the rows of `columns` elements in [from, from + count) to sums[columns].
void add_rows(const float* from, int64_t count, int64_t columns, float* sums);

}  // namespace hornbeam
