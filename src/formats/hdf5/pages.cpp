#include "formats/hdf5/pages.h"

#include <sys/mman.h>

#include <algorithm>

#include "base/error.h"

namespace hornbeam::hdf5 {
namespace {

constexpr uint64_t block_bytes = 64 << 10;      // whole pages on every machine
constexpr uint64_t worth_forgetting = 1 << 20;  // less is kept: it is likely wanted again

}  // namespace

Pages::Pages(ByteSource file)
    : file_(std::move(file)), is_there_((file_.size + block_bytes - 1) / block_bytes) {
  if (file_.size == 0) return;
  void* start =
      ::mmap(nullptr, file_.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  start_ = static_cast<std::byte*>(start);
}

Pages::~Pages() {
  if (start_ != nullptr) ::munmap(start_, file_.size);
}

void Pages::need(std::span<const std::byte> part) {
  if (part.empty()) return;
  const uint64_t first = static_cast<uint64_t>(part.data() - start_);
  uint64_t block = first / block_bytes;
  const uint64_t end = (first + part.size() - 1) / block_bytes + 1;
  while (block < end) {
    uint64_t loaded = block;
    while (loaded < end && !is_there_[loaded]) ++loaded;
    if (loaded > block) load(block, loaded);
    block = loaded + 1;
  }
}

void Pages::load(uint64_t first_block, uint64_t end_block) {
  const uint64_t first = first_block * block_bytes;
  const uint64_t bytes = std::min(end_block * block_bytes, file_.size) - first;
  if (::mprotect(start_ + first, bytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  file_.read(first, {start_ + first, bytes});
  loaded_bytes_ += bytes;
  std::fill(is_there_.begin() + static_cast<std::ptrdiff_t>(first_block),
            is_there_.begin() + static_cast<std::ptrdiff_t>(end_block), true);
}

void Pages::forget() {
  if (loaded_bytes_ < worth_forgetting) return;
  loaded_bytes_ = 0;
  ::madvise(start_, file_.size, MADV_DONTNEED);
  ::mprotect(start_, file_.size, PROT_NONE);
  std::fill(is_there_.begin(), is_there_.end(), false);
}

}  // namespace hornbeam::hdf5
