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

std::vector<std::byte> GzipReader::read(size_t most) {
  constexpr size_t piece = size_t{1} << 20;
  std::vector<std::byte> content;
  while (content.size() < most) {
    size_t before = content.size();
    size_t wanted = std::min(piece, most - before);
    content.resize(before + wanted);
    int got = gzread(file_->handle, content.data() + before, static_cast<unsigned>(wanted));
    int state = Z_OK;
    const char* reason = gzerror(file_->handle, &state);
    if (got < 0 || (state != Z_OK && state != Z_STREAM_END))
      damaged(path_, std::string("the compressed data is broken: ") + reason);
    content.resize(before + static_cast<size_t>(got));
    if (static_cast<size_t>(got) < wanted) break;
  }
  return content;
}

}  // namespace hornbeam
