// Reading a file that may be compressed with gzip; a plain file is read as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace hornbeam {

class GzipReader {
 public:
  // Throws H201 when the file cannot be opened.
  explicit GzipReader(const std::filesystem::path& path);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  // Fills `target` with the next bytes and says how many there were: all of it or, at the end,
  // fewer. Throws H202 when the compressed data is damaged or cut off.
  size_t read(std::span<std::byte> target);
  // The most bytes that a file of this size can unpack to. What a header claims beyond it is wrong
  // and needs no memory.
  uint64_t most_bytes() const;

 private:
  struct File;
  std::filesystem::path path_;
  std::unique_ptr<File> file_;
};

}  // namespace hornbeam
