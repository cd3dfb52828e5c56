// Packs blocks that live for a while into one range of memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hornbeam {

// Memory that is needed from time `begin` to time `end`, both included.
struct LiveBlock {
  int64_t bytes = 0;
  int64_t begin = 0;
  int64_t end = 0;
};

struct Packing {
  std::vector<int64_t> offsets;  // by block; multiples of 64
  int64_t bytes = 0;
};

// Blocks that live at the same time do not overlap. The largest is placed first, each at the lowest
// free offset. The same blocks give the same packing.
Packing pack(std::span<const LiveBlock> blocks);

// `bytes` rounded up to a multiple of 64, the alignment of every block.
int64_t aligned_bytes(int64_t bytes);

}  // namespace hornbeam
