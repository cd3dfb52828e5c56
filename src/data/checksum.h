// Checksums of files, and the check that a file is the one it should be.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace hornbeam {

// What is known of a published file.
struct PublishedFile {
  std::string_view name;    // "mnist.npz"
  uint64_t bytes;           // 0 when not known
  std::string_view sha256;  // hexadecimal, lower case
};

// The SHA-256 as hexadecimal digits. Throws H201 when the file cannot be read.
std::string checksum_of(const std::filesystem::path& file);

// Throws H202, showing both checksums, when `file` is another one.
void check_published(const PublishedFile& published, const std::filesystem::path& file);

// "170,052,171 bytes, SHA-256 c4a3…"
std::string description_of(const PublishedFile& published);

}  // namespace hornbeam
