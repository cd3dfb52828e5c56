// A block of zeroed pages from the system, in huge pages where it can be. It may grow, which loses
// what was in it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hornbeam {

class Memory {
 public:
  // Throws H401 when the system has not so much memory.
  explicit Memory(int64_t bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // What a block of so many bytes takes: whole pages.
  static int64_t taken_for(int64_t bytes);

  std::byte* data() const { return data_; }
  // At least so many bytes, every page of them resident so that no step waits for one.
  void grow(int64_t bytes);

 private:
  void take(int64_t bytes);
  void give_back();

  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace hornbeam
