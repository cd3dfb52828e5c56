// The bytes of one HDF5 file, and the only way to look at them: with bounds.
//
// A `Source` is a view that knows the file's name and the object being read, for messages; who
// holds it keeps the bytes alive. A `Cursor` reads a range of it from left to right. All numbers
// are little-endian; addresses count from the file's base address. Every fault throws H102.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/hdf5/pages.h"

namespace hornbeam::hdf5 {

class Cursor;

struct Source {
  // From the base address to the end of the file; only what at() gives may be looked at.
  std::span<const std::byte> content;
  Pages* pages = nullptr;    // has the content, unless all of it is in memory
  std::string file;          // its name, for messages
  std::string object = "/";  // the object being read, for messages
  int address_size = 8;      // bytes of an address
  int length_size = 8;       // bytes of a length

  Source at_object(std::string path) const;
  std::span<const std::byte> at(uint64_t address, uint64_t size) const;  // inside the content
  // A cursor over [address, address + size), which must lie inside the file.
  Cursor range(uint64_t address, uint64_t size) const;

  [[noreturn]] void damaged(uint64_t address, const std::string& why) const;
  [[noreturn]] void unsupported(const std::string& feature) const;
};

class Cursor {
 public:
  Cursor(const Source& source, uint64_t position, uint64_t end)
      : source_(&source), position_(position), end_(end) {}

  const Source& source() const { return *source_; }
  uint64_t position() const { return position_; }
  uint64_t remaining() const { return end_ - position_; }

  uint64_t number(int size);  // of 1 … 8 bytes
  uint8_t u8() { return static_cast<uint8_t>(number(1)); }
  uint16_t u16() { return static_cast<uint16_t>(number(2)); }
  uint32_t u32() { return static_cast<uint32_t>(number(4)); }
  uint64_t length() { return number(source_->length_size); }
  std::optional<uint64_t> optional_address();  // nothing when it is the undefined address
  uint64_t address();                          // H102 when it is the undefined address

  std::span<const std::byte> bytes(uint64_t count);
  std::string text(uint64_t count);  // up to the first zero byte in the next `count` bytes
  std::string text_to_zero();        // up to the next zero byte, which is skipped
  Cursor sub(uint64_t count);        // a cursor over the next `count` bytes, which are skipped
  void skip(uint64_t count);
  void signature(std::string_view wanted);  // H102 when the next four bytes differ
  // Verifies the four bytes at the end of the range: the checksum of all bytes from `start` on.
  void checksum(uint64_t start);

  [[noreturn]] void damaged(const std::string& why) const { source_->damaged(position_, why); }

 private:
  const Source* source_;
  uint64_t position_;
  uint64_t end_;
};

// How much one walk through linked structures may read: no more than the file holds, since the
// structures of a whole file do not overlap. Ends walks around circles, and bounds their memory.
class Allowance {
 public:
  explicit Allowance(const Source& source) : left_(source.content.size()) {}
  // A cursor over the block, whose bytes are taken from the allowance.
  Cursor range(const Source& source, uint64_t address, uint64_t size);
  void take(const Cursor& block) { take(block, block.remaining()); }
  void take(const Cursor& where, uint64_t bytes);

 private:
  uint64_t left_;
};

}  // namespace hornbeam::hdf5
