#include <fmt/format.h>

#include <bit>
#include <vector>

#include "formats/hdf5/btree.h"

namespace hornbeam::hdf5 {
namespace {

constexpr uint64_t node_frame = 10;  // signature, version, type, checksum

// Bytes that numbers up to `largest` take.
int bytes_for(uint64_t largest) {
  return largest == 0 ? 1 : static_cast<int>(std::bit_width(largest) + 7) / 8;
}

// How nodes at one height above the leaves are laid out.
struct Height {
  uint64_t most_records;        // in one node
  uint64_t most_records_below;  // in one node and all its descendants
  int total_size;               // bytes of a number up to that
};

struct Walk {
  const Source& source;
  TreeType type;
  Allowance& allowance;
  const std::function<void(Cursor)>& visit_record;
  uint64_t node_size = 0;
  uint64_t record_size = 0;
  std::vector<Height> heights;

  int count_size() const { return bytes_for(heights[0].most_records); }

  uint64_t pointer_size(size_t height) const {
    int total = height == 1 ? 0 : heights[height - 1].total_size;
    return source.address_size + count_size() + total;
  }

  void add_height(Cursor& head) {
    size_t height = heights.size();
    uint64_t frame = node_frame + (height == 0 ? 0 : pointer_size(height));
    uint64_t entry = record_size + (height == 0 ? 0 : pointer_size(height));
    if (node_size < frame + entry) head.damaged("the nodes of a tree are too small");
    uint64_t most = (node_size - frame) / entry;
    uint64_t below = most;
    if (height > 0) {
      uint64_t child = heights[height - 1].most_records_below;
      if (child > (uint64_t{1} << 40)) head.damaged("a tree is too deep");
      below += (most + 1) * child;
    }
    heights.push_back({most, below, bytes_for(below)});
  }

  void visit(uint64_t address, uint64_t records, size_t height) {
    Cursor node = allowance.range(source, address, node_size);
    if (records > heights[height].most_records) node.damaged("a tree node claims too many records");
    uint64_t pointers = height == 0 ? 0 : (records + 1) * pointer_size(height);
    node = source.range(address, node_frame + records * record_size + pointers);
    node.checksum(address);
    node.signature(height == 0 ? "BTLF" : "BTIN");
    node.skip(1);  // version
    if (node.u8() != static_cast<uint8_t>(type)) node.damaged("a tree is of the wrong type");
    for (uint64_t i = 0; i < records; ++i) visit_record(node.sub(record_size));
    for (uint64_t i = 0; height > 0 && i <= records; ++i) {
      uint64_t child = node.address();
      uint64_t child_records = node.number(count_size());
      if (height > 1) node.skip(heights[height - 1].total_size);
      visit(child, child_records, height - 1);
    }
  }

  void read(uint64_t address) {
    Cursor head = allowance.range(source, address, 22 + source.address_size + source.length_size);
    head.checksum(address);
    head.signature("BTHD");
    head.skip(1);  // version
    if (head.u8() != static_cast<uint8_t>(type)) head.damaged("a tree is of the wrong type");
    node_size = head.u32();
    record_size = head.u16();
    size_t depth = head.u16();
    head.skip(2);  // when to split and to merge nodes
    std::optional<uint64_t> root = head.optional_address();
    uint64_t records = head.u16();
    if (!root || records == 0) return;
    for (size_t height = 0; height <= depth; ++height) add_height(head);
    visit(*root, records, depth);
  }
};

}  // namespace

void walk_records(const Source& source, uint64_t address, TreeType type, Allowance& allowance,
                  const std::function<void(Cursor)>& visit) {
  Walk{source, type, allowance, visit}.read(address);
}

}  // namespace hornbeam::hdf5
