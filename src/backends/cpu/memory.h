// A block of zeroed pages from the system, in huge pages where it can be.
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

  std::byte* data() const { return data_; }
  // Makes every page resident, so that no step waits for one.
  void touch();

 private:
  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace hornbeam
