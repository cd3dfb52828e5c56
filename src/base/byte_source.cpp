#include "base/byte_source.h"

#include <algorithm>
#include <fstream>
#include <memory>

#include "base/files.h"

namespace hornbeam {

ByteSource source_owning(std::vector<std::byte> bytes) {
  auto shared = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return {shared->size(), [shared](uint64_t first, std::span<std::byte> part) {
            std::ranges::copy(std::span(*shared).subspan(first, part.size()), part.begin());
          }};
}

ByteSource source_of_file(const std::filesystem::path& path) {
  auto file = std::make_shared<std::ifstream>(open_file(path));
  std::error_code failure;
  const uint64_t size = std::filesystem::file_size(path, failure);
  if (failure) cannot_read(path, failure.message());
  return {size, [=](uint64_t first, std::span<std::byte> part) {
            file->seekg(static_cast<std::streamoff>(first));
            file->read(reinterpret_cast<char*>(part.data()),
                       static_cast<std::streamsize>(part.size()));
            if (!*file) cannot_read(path, "reading stopped early");
          }};
}

}  // namespace hornbeam
