// Makes a tile program quick to run: what is the same for every tile is done once a piece, operands
// and results are used where they are, and registers are few.
#pragma once

#include "backends/cpu/kernels/tile_program.h"

namespace hornbeam {

// Needs a program that writes each register once. It computes the same bits.
TileProgram scheduled(const TileProgram& program);

}  // namespace hornbeam
