// Cuts a workspace into 64-byte aligned parts: the same code measures it (from a null pointer) and
// hands it out, so size and use cannot disagree.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hornbeam {

class WorkspaceCutter {
 public:
  explicit WorkspaceCutter(void* memory = nullptr) : memory_(static_cast<std::byte*>(memory)) {}

  template <class T = float>
  T* take(int64_t count) {
    std::byte* part = memory_ ? memory_ + bytes_ : nullptr;
    bytes_ += (count * static_cast<int64_t>(sizeof(T)) + 63) / 64 * 64;
    return reinterpret_cast<T*>(part);
  }
  int64_t bytes() const { return bytes_; }

 private:
  std::byte* memory_;
  int64_t bytes_ = 0;
};

inline int64_t divide_up(int64_t value, int64_t step) { return (value + step - 1) / step; }
inline int64_t round_up(int64_t value, int64_t step) { return divide_up(value, step) * step; }

}  // namespace hornbeam
