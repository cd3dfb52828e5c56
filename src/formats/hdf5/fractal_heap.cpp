#include <bit>

#include "formats/hdf5/btree.h"
#include "formats/hdf5/heap.h"

namespace hornbeam::hdf5 {
namespace {

int bytes_of_bits(uint64_t bits) { return static_cast<int>((bits + 7) / 8); }

}  // namespace

uint64_t FractalHeap::Table::row_of(uint64_t offset) const {
  return std::bit_width(offset / (width * first_block));
}

uint64_t FractalHeap::Table::block_size(uint64_t row) const {
  return row == 0 ? first_block : first_block << (row - 1);
}

uint64_t FractalHeap::Table::row_start(uint64_t row) const {
  return row == 0 ? 0 : width * first_block << (row - 1);
}

FractalHeap::FractalHeap(const Source& source, uint64_t address)
    : source_(source), address_(address) {
  Cursor head = source.range(address, 26 + 12 * source.length_size + 3 * source.address_size);
  uint64_t start = head.position();
  Cursor unverified = head;
  unverified.signature("FRHP");
  unverified.skip(1);  // version
  identifier_size_ = unverified.u16();
  if (unverified.u16() != 0) source.unsupported("a filtered fractal heap");
  head.checksum(start);
  head.skip(unverified.position() - start + 1);  // and the flags
  uint64_t largest_object = head.u32();
  head.length();  // next number of a large object
  if (std::optional<uint64_t> tree = head.optional_address()) read_large_objects(*tree);
  head.length();                              // free space
  head.optional_address();                    // of the free-space manager
  for (int i = 0; i < 8; ++i) head.length();  // counts of space and objects
  table_.width = head.u16();
  table_.first_block = head.length();
  table_.largest_direct = head.length();
  int offset_bits = head.u16();
  head.skip(2);  // rows of the root table at first
  root_ = head.optional_address();
  root_is_table_ = head.u16() != 0;
  bool sane = table_.width > 0 && std::has_single_bit(table_.width) &&
              std::has_single_bit(table_.first_block) &&
              std::has_single_bit(table_.largest_direct) && offset_bits > 0 && offset_bits < 48 &&
              table_.first_block <= table_.largest_direct &&
              table_.largest_direct <= (uint64_t{1} << 32);
  if (!sane) head.damaged("a fractal heap has an impossible layout");
  offset_size_ = bytes_of_bits(offset_bits);
  size_size_ = std::min(bytes_of_bits(std::bit_width(table_.largest_direct) - 1),
                        bytes_of_bits(std::bit_width(largest_object)));
}

Cursor FractalHeap::object(Cursor identifier) const {
  enum { in_blocks = 0, large_object = 1, tiny = 2 };
  int flags = identifier.u8();
  int type = flags >> 4;  // the upper two bits are the version, which is 0
  if (type == in_blocks) {
    uint64_t offset = identifier.number(offset_size_);
    return managed(offset, identifier.number(size_size_));
  }
  if (type == large_object) {
    int number_size = std::min(identifier_size_ - 1, 8);
    auto found = large_objects_.find(identifier.number(number_size));
    if (found == large_objects_.end()) identifier.damaged("a large object is missing");
    return found->second;
  }
  if (type == tiny) return identifier.sub((flags & 15) + 1);
  identifier.damaged("an identifier of a fractal heap is of an unknown kind");
}

// The address of the block in a row and column of the table block at `address`.
uint64_t FractalHeap::child_of(uint64_t address, uint64_t row, uint64_t column) const {
  uint64_t entry = row * table_.width + column;
  uint64_t head_size = 5 + source_.address_size + offset_size_;
  Cursor block = source_.range(address, head_size + (entry + 1) * source_.address_size);
  block.signature("FHIB");
  block.skip(head_size - 4 + entry * source_.address_size);
  return block.address();
}

// Descends through tables, whose blocks get smaller with each step, to the block with the object.
Cursor FractalHeap::managed(uint64_t offset, uint64_t size) const {
  if (!root_) source_.damaged(address_, "a fractal heap is empty where an object is wanted");
  uint64_t block = *root_, block_size = table_.first_block;
  for (bool is_table = root_is_table_; is_table;) {
    uint64_t row = table_.row_of(offset);
    uint64_t next_size = table_.block_size(row);
    uint64_t in_row = offset - table_.row_start(row);
    block = child_of(block, row, in_row / next_size);
    offset = in_row % next_size;
    block_size = next_size;
    is_table = block_size > table_.largest_direct;
  }
  if (offset > block_size || size > block_size - offset)
    source_.damaged(block, "an object lies outside its fractal heap block");
  Cursor data = source_.range(block, block_size);
  Cursor(data).signature("FHDB");
  data.skip(offset);
  return data.sub(size);
}

void FractalHeap::read_large_objects(uint64_t address) {
  Allowance allowance(source_);
  walk_records(source_, address, TreeType::large_objects, allowance, [&](Cursor record) {
    uint64_t position = record.address();
    uint64_t size = record.length();
    large_objects_.emplace(record.length(), source_.range(position, size));
  });
}

}  // namespace hornbeam::hdf5
