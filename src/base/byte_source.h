// Bytes that are read in parts, wherever they lie: in a file, in an archive or in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

namespace hornbeam {

struct ByteSource {
  uint64_t size = 0;
  // Fills `part` with the bytes from the byte `first` on. One thread at a time.
  std::function<void(uint64_t first, std::span<std::byte> part)> read = {};
};

ByteSource source_owning(std::vector<std::byte> bytes);
// Throws H101 (missing, a folder, a pipe, not readable), now or when it is read.
ByteSource source_of_file(const std::filesystem::path& path);

}  // namespace hornbeam
