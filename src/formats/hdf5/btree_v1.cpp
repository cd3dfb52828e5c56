#include "formats/hdf5/btree.h"

namespace hornbeam::hdf5 {
namespace {

struct Walk {
  const Source& source;
  TreeType type;
  uint64_t key_size;
  Allowance& allowance;
  const std::function<void(Cursor, uint64_t)>& leaf;

  // `level` is that of the node's parent less one; -1 for the root, whose level is its own.
  void visit(uint64_t address, int level) {
    uint64_t head_size = 8 + 2 * source.address_size;
    Cursor head = allowance.range(source, address, head_size);
    head.signature("TREE");
    if (head.u8() != static_cast<uint8_t>(type)) head.damaged("a tree is of the wrong type");
    int own_level = head.u8();
    if (level >= 0 && own_level != level) head.damaged("the levels of a tree are out of order");
    uint64_t entries = head.u16();
    Cursor body =
        allowance.range(source, address + head_size, entries * (key_size + source.address_size));
    for (uint64_t i = 0; i < entries; ++i) {
      Cursor key = body.sub(key_size);
      uint64_t child = body.address();
      if (own_level == 0)
        leaf(key, child);
      else
        visit(child, own_level - 1);
    }
  }
};

}  // namespace

void walk_tree(const Source& source, uint64_t address, TreeType type, uint64_t key_size,
               Allowance& allowance, const std::function<void(Cursor, uint64_t)>& leaf) {
  Walk{source, type, key_size, allowance, leaf}.visit(address, -1);
}

}  // namespace hornbeam::hdf5
