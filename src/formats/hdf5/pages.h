// A file that is in memory only where and while it is looked at.
#pragma once

#include <vector>

#include "base/byte_source.h"

namespace hornbeam::hdf5 {

// Address space as large as the file. Bytes that were not asked for cannot be read by mistake: the
// process would end.
class Pages {
 public:
  explicit Pages(ByteSource file);
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages();

  std::span<const std::byte> content() const { return {start_, file_.size}; }
  // Reads what is missing of `part`, which lies in the content.
  void need(std::span<const std::byte> part);
  // Gives the memory back, if it is much: everything must be asked for again.
  void forget();

 private:
  void load(uint64_t first_block, uint64_t end_block);

  ByteSource file_;
  std::byte* start_ = nullptr;
  std::vector<bool> is_there_;  // of each block
  uint64_t loaded_bytes_ = 0;
};

}  // namespace hornbeam::hdf5
