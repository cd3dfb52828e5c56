#include "compile/arena.h"

#include <algorithm>
#include <numeric>

namespace hornbeam {
namespace {

struct PlacedBlock {
  int64_t offset, limit, begin, end;
};

// The lowest offset where `bytes` fit below, between or above the blocks that live at the same
// time. `placed` is sorted by offset.
int64_t lowest_fit(const std::vector<PlacedBlock>& placed, const LiveBlock& block, int64_t bytes) {
  int64_t offset = 0;
  for (const PlacedBlock& other : placed) {
    if (other.end < block.begin || other.begin > block.end) continue;
    if (other.offset >= offset + bytes) break;
    offset = std::max(offset, other.limit);
  }
  return offset;
}

std::vector<size_t> largest_first(std::span<const LiveBlock> blocks) {
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return blocks[a].bytes > blocks[b].bytes; });
  return order;
}

}  // namespace

int64_t aligned_bytes(int64_t bytes) { return (bytes + 63) / 64 * 64; }

Packing pack(std::span<const LiveBlock> blocks) {
  Packing packing{std::vector<int64_t>(blocks.size(), 0), 0};
  std::vector<PlacedBlock> placed;
  for (size_t number : largest_first(blocks)) {
    const LiveBlock& block = blocks[number];
    int64_t bytes = aligned_bytes(block.bytes);
    if (bytes == 0) continue;
    int64_t offset = lowest_fit(placed, block, bytes);
    PlacedBlock entry{offset, offset + bytes, block.begin, block.end};
    auto by_offset = [](const PlacedBlock& a, const PlacedBlock& b) { return a.offset < b.offset; };
    placed.insert(std::upper_bound(placed.begin(), placed.end(), entry, by_offset), entry);
    packing.offsets[number] = offset;
    packing.bytes = std::max(packing.bytes, entry.limit);
  }
  return packing;
}

}  // namespace hornbeam
