#include "data/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "data/reader_list.h"

namespace hornbeam {

struct GzipReader::File {
  gzFile handle;
};

GzipReader::GzipReader(const std::filesystem::path& path)
    : path_(path), file_(new File{gzopen(path.c_str(), "rb")}) {
  if (file_->handle == nullptr)
    throw Error("H201", {.message = "cannot read '" + path.string() + "': " + std::strerror(errno),
                         .place = path.string()});
}

GzipReader::~GzipReader() { gzclose(file_->handle); }

size_t GzipReader::read(std::span<std::byte> target) {
  constexpr size_t piece = size_t{1} << 20;
  size_t done = 0;
  while (done < target.size()) {
    auto wanted = static_cast<unsigned>(std::min(piece, target.size() - done));
    int got = gzread(file_->handle, target.data() + done, wanted);
    int state = Z_OK;
    const char* reason = gzerror(file_->handle, &state);
    if (got < 0 || (state != Z_OK && state != Z_STREAM_END))
      damaged(path_, std::string("the compressed data is broken: ") + reason);
    done += static_cast<size_t>(got);
    if (static_cast<unsigned>(got) < wanted) break;
  }
  return done;
}

uint64_t GzipReader::most_bytes() const {
  constexpr uint64_t largest_deflate_ratio = 1032;
  const uint64_t packed = std::filesystem::file_size(path_);
  return gzdirect(file_->handle) != 0 ? packed : largest_deflate_ratio * packed;
}

}  // namespace hornbeam
