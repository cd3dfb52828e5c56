#include "formats/hdf5/heap.h"

namespace hornbeam::hdf5 {

LocalHeap::LocalHeap(const Source& source, uint64_t address) : data_(source, 0, 0) {
  Cursor head = source.range(address, 8 + 2 * source.length_size + source.address_size);
  head.signature("HEAP");
  head.skip(4);  // version and padding
  uint64_t size = head.length();
  head.length();  // of the free space
  data_ = source.range(head.address(), size);
}

std::string LocalHeap::text(uint64_t offset) const {
  Cursor rest = data_;
  rest.skip(offset);
  return rest.text_to_zero();
}

Cursor GlobalHeaps::object(uint64_t address, uint64_t index) {
  auto found = collections_.find(address);
  if (found == collections_.end()) found = collections_.emplace(address, read(address)).first;
  auto object = found->second.find(index);
  if (object == found->second.end()) source_.damaged(address, "a text is missing in a global heap");
  return object->second;
}

GlobalHeaps::Collection GlobalHeaps::read(uint64_t address) {
  uint64_t head_size = 8 + source_.length_size;
  Cursor head = source_.range(address, head_size);
  head.signature("GCOL");
  head.skip(4);  // version and padding
  uint64_t size = head.length();
  Cursor block = allowance_.range(source_, address, size);
  block.skip(head_size);
  Collection result;
  while (block.remaining() >= head_size + 8) {
    uint64_t index = block.u16();
    if (index == 0) break;  // the rest is free
    block.skip(6);          // count of references, padding
    uint64_t length = block.length();
    result.emplace(index, block.sub(length));
    uint64_t padding = (8 - length % 8) % 8;
    block.skip(std::min(padding, block.remaining()));
  }
  return result;
}

}  // namespace hornbeam::hdf5
