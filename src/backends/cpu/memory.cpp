#include "backends/cpu/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace hornbeam {
namespace {

constexpr size_t page_bytes = 4096;
constexpr size_t huge_page_bytes = size_t{2} << 20;

}  // namespace

int64_t Memory::taken_for(int64_t bytes) {
  constexpr int64_t page = page_bytes;
  return std::max<int64_t>(bytes + page - 1, page) / page * page;
}

Memory::Memory(int64_t bytes) { take(bytes); }

Memory::~Memory() { give_back(); }

void Memory::take(int64_t bytes) {
  size_t wanted = std::max(static_cast<size_t>(bytes), page_bytes);
  void* block = mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED)
    throw Error("H401", {.message = fmt::format("the system has no {} of memory to give",
                                                bytes_text(wanted))});
  data_ = static_cast<std::byte*>(block);
  bytes_ = wanted;
  if (bytes_ >= huge_page_bytes) madvise(block, bytes_, MADV_HUGEPAGE);  // advice: may fail
}

void Memory::give_back() {
  if (data_ != nullptr) munmap(data_, bytes_);
  data_ = nullptr;
  bytes_ = 0;
}

void Memory::grow(int64_t bytes) {
  if (static_cast<size_t>(bytes) <= bytes_) return;
  give_back();
  take(bytes);
  for (size_t at = 0; at < bytes_; at += page_bytes) {
    volatile std::byte* byte = data_ + at;
    *byte = *byte;
  }
}

}  // namespace hornbeam
