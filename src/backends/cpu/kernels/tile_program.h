// A chain of elementwise operations done tile by tile: however long the chain, memory is read and
// written once. Registers hold float32 tiles of `tile_floats` elements that stay in the first
// cache.
//
// Whole numbers pass exactly up to 2^24 in magnitude. Truth values are 1 and 0; any other number
// than 0 counts as true (NaN too).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/dtype.h"
#include "base/threads.h"

namespace hornbeam {

enum class TileOp : uint8_t {
  // of one register
  copy,
  negate,
  abs,
  sign,
  exp,
  expm1,
  log,
  log1p,
  sqrt,
  rsqrt,
  tanh,
  logistic,
  floor,
  ceil,
  sine,
  cosine,
  is_finite,
  logical_not,
  round_bfloat16,  // to the nearest bfloat16, ties to even; NaN stays NaN
  // of two
  add,
  subtract,
  multiply,
  divide,
  power,
  maximum,
  minimum,
  remainder,
  logical_and,
  logical_or,
  logical_xor,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  // of three: a != 0 ? b : c
  select,
  // of none
  constant,  // `value` everywhere
  uniform,   // random numbers in [0, 1): element 2j is the low word of threefry(key, j), 2j + 1 the
             // high one; (word >> 8) * 2^-24
  keep_mask,  // 1 where that uniform number >= `value` (the rate of dropout, 0 to 1), else 0
};

// Which element of an operand belongs to element i of the result.
enum class TileAccess : uint8_t {
  contiguous,  // i
  scalar,      // 0
  row,         // i % extent: one value for each channel
  column,      // i / extent: one value for each row of `extent` elements
  strided,     // by `axes`: a window of a picture, a cell repeated over its window
};

// One axis of the iteration, outermost first; the last one has stride 0 or 1.
struct TileAxis {
  int64_t extent;
  int64_t stride;  // elements of the operand

  bool operator==(const TileAxis&) const = default;
};
inline constexpr size_t most_tile_axes = 8;

struct TileInput {
  int reg;
  DType dtype = DType::float32;  // float32, bfloat16, uint8, int32 or bool
  TileAccess access = TileAccess::contiguous;
  int64_t extent = 1;
  int64_t offset = 0;  // of the first element that is read
  std::vector<TileAxis> axes = {};
  bool once = false;    // the same for every tile: loaded at the start of a piece
  bool direct = false;  // read where it is
};

struct TileInstruction {
  TileOp op;
  int to;
  int a = 0;
  int b = 0;
  int c = 0;
  float value = 0;  // of `constant` and `keep_mask`
  int key = 0;      // of `uniform` and `keep_mask`: which of the keys given to run_tiles
};

struct TileOutput {
  int reg;
  DType dtype = DType::float32;  // as inputs; whole numbers are cut towards zero and saturate
  int64_t columns = 0;  // not 0: instead of the elements, their sums over rows of so many columns,
                        // at most tile_floats; float32
  bool direct = false;  // computed where it belongs
};

inline constexpr int64_t tile_floats = 1024;

struct TileProgram {
  std::vector<TileInput> inputs;
  std::vector<TileInstruction> instructions;
  std::vector<TileOutput> outputs;
  int registers = 0;
  std::vector<TileInstruction> once = {};  // run at the start of a piece, the same for every tile
  int64_t tile = tile_floats;              // elements; whole rows where `once` or sums need them
};

// Bytes needed beside the operands for `count` elements; the workspace is 64-byte aligned.
int64_t tile_workspace(const TileProgram& program, int64_t count, int threads);

// Runs the program on `count` elements. An output may be the memory of a contiguous input of the
// same element size; otherwise they must not overlap. Sums run in float32 over a piece, in double
// over pieces; pieces depend on the program only.
void run_tiles(const TileProgram& program, int64_t count, std::span<const void* const> inputs,
               std::span<const uint64_t> keys, std::span<void* const> outputs, void* workspace,
               ThreadPool& threads);

}  // namespace hornbeam
