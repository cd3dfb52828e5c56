#include "data/checksum.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/text.h"

namespace hornbeam {
namespace fs = std::filesystem;
namespace {

// Calls use(data, size) for the content of the file, piece by piece.
template <class Use>
void read_pieces(const fs::path& path, Use&& use) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> piece(size_t{1} << 20);
  while (file) {
    file.read(piece.data(), std::ssize(piece));
    use(piece.data(), static_cast<size_t>(file.gcount()));
  }
  if (!file.eof())
    throw Error("H201", {.message = "cannot read '" + path.string() + "': " + std::strerror(errno),
                         .place = path.string()});
}

}  // namespace

std::string checksum_of(const fs::path& file) {
  Sha256 digest;
  read_pieces(file, [&](const char* data, size_t size) { digest.add({data, size}); });
  return digest.hexadecimal();
}

void check_published(const PublishedFile& published, const fs::path& file) {
  std::string found = checksum_of(file);
  if (found == published.sha256) return;
  throw Error("H202", {.message = fmt::format("'{}' is damaged or another file: its SHA-256 is {}",
                                              published.name, found),
                       .place = file.string(),
                       .notes = {"expected " + description_of(published),
                                 fmt::format("it has {} bytes",
                                             thousands(static_cast<int64_t>(fs::file_size(file))))},
                       .help = "remove it and get it again"});
}

std::string description_of(const PublishedFile& published) {
  std::string size =
      published.bytes == 0 ? "" : thousands(static_cast<int64_t>(published.bytes)) + " bytes, ";
  return fmt::format("{}SHA-256 {}", size, published.sha256);
}

}  // namespace hornbeam
