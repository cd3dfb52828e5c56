// Heaps, where structures of fixed size keep their parts of any size.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "formats/hdf5/source.h"

namespace hornbeam::hdf5 {

// The names of an old group.
class LocalHeap {
 public:
  LocalHeap(const Source& source, uint64_t address);
  std::string text(uint64_t offset) const;

 private:
  Cursor data_;
};

// The global heaps of a file hold texts of any length. Collections are read once each.
class GlobalHeaps {
 public:
  explicit GlobalHeaps(const Source& source) : source_(source), allowance_(source) {}
  // The object `index` of the collection at `address`.
  Cursor object(uint64_t address, uint64_t index);

 private:
  using Collection = std::map<uint64_t, Cursor>;
  Collection read(uint64_t address);

  const Source& source_;
  Allowance allowance_;
  std::map<uint64_t, Collection> collections_;
};

// Links and attributes of new groups when there are many or large ones: objects named by an
// identifier, in blocks whose size doubles from row to row of a table.
class FractalHeap {
 public:
  FractalHeap(const Source& source, uint64_t address);
  Cursor object(Cursor identifier) const;

 private:
  struct Table {
    uint64_t width = 0;           // blocks in a row
    uint64_t first_block = 0;     // bytes of each block of the first two rows
    uint64_t largest_direct = 0;  // larger blocks are tables themselves
    uint64_t row_of(uint64_t offset) const;
    uint64_t block_size(uint64_t row) const;
    uint64_t row_start(uint64_t row) const;
  };

  Cursor managed(uint64_t offset, uint64_t size) const;
  void read_large_objects(uint64_t address);
  uint64_t child_of(uint64_t address, uint64_t row, uint64_t column) const;

  const Source& source_;
  Table table_;
  int offset_size_ = 0;  // bytes of an offset in an identifier
  int size_size_ = 0;    // bytes of a size in an identifier
  int identifier_size_ = 0;
  uint64_t address_;
  std::optional<uint64_t> root_;
  bool root_is_table_ = false;
  std::map<uint64_t, Cursor> large_objects_;
};

}  // namespace hornbeam::hdf5
