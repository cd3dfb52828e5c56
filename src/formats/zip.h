// Zip archives: what .keras and .npz files are. Reads stored and deflated entries, zip64 too.
//
// Every entry's checksum is verified, names are unique, and a claimed size is believed only as far
// as the packed bytes can hold it: a stored entry is as long as its packed bytes, a deflated one at
// most 1032 times as long (what deflate can reach) and never over 64 GiB. Damage throws H103.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"

namespace hornbeam {

// Shares the open file or the bytes with what it gave out. One thread at a time.
class ZipReader {
 public:
  explicit ZipReader(const std::filesystem::path& path);  // H101 when the file cannot be opened
  // `place` names the archive in messages.
  explicit ZipReader(std::vector<std::byte> content, std::string place = "zip archive");
  ZipReader(ZipReader&&) noexcept;
  ZipReader& operator=(ZipReader&&) noexcept;
  ~ZipReader();

  std::vector<std::string> names() const;  // in the order of the archive
  bool contains(std::string_view name) const;
  std::vector<std::byte> read(std::string_view name) const;  // H103 when it is not there
  // The same, to be read in parts. Its checksum is verified at once. A stored entry stays in the
  // archive, a deflated one is unpacked in memory.
  ByteSource source(std::string_view name) const;

 private:
  struct Archive;
  class Entry;
  std::shared_ptr<Archive> archive_;
};

struct ZipEntry {
  std::string name;
  std::vector<std::byte> content;
  std::filesystem::path file = {};  // the content, where it is too large to be held in memory
};

// Stores at least one entry, uncompressed and in this order, with a fixed date: equal entries give
// equal files. Written aside and renamed; throws H120 when that fails.
void write_zip(const std::filesystem::path& path, std::span<const ZipEntry> entries);

}  // namespace hornbeam
