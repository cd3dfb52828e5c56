// Reading a file that may be compressed with gzip; a plain file is read as it is.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <vector>

namespace hornbeam {

class GzipReader {
 public:
  // Throws H201 when the file cannot be opened.
  explicit GzipReader(const std::filesystem::path& path);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  // The next bytes, `most` of them or, at the end, fewer. Memory grows with what is really there,
  // not with `most`. Throws H202 when the compressed data is damaged or cut off.
  std::vector<std::byte> read(size_t most);

 private:
  struct File;
  std::filesystem::path path_;
  std::unique_ptr<File> file_;
};

}  // namespace hornbeam
