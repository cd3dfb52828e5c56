#include "data/tar.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "data/gzip.h"
#include "data/reader_list.h"

namespace hornbeam {
namespace fs = std::filesystem;
namespace {

constexpr size_t block_bytes = 512;
constexpr uint64_t most_bytes = uint64_t{2} << 30;

using Bytes = std::vector<std::byte>;

// A text field of a header block, up to its first zero.
std::string_view field(const Bytes& block, size_t begin, size_t length) {
  std::string_view text(reinterpret_cast<const char*>(block.data()) + begin, length);
  return text.substr(0, std::min(text.find('\0'), length));
}

class Archive {
 public:
  Archive(const fs::path& path, const fs::path& folder)
      : path_(path), folder_(folder), reader_(path) {}

  void unpack() {
    while (true) {
      Bytes header(block_bytes);
      if (reader_.read(header) < block_bytes)
        damaged(path_, "the archive ends without an end mark");
      if (header == Bytes(block_bytes)) return;
      unpack_entry(header);
    }
  }

 private:
  void unpack_entry(const Bytes& header) {
    check_header(header);
    Bytes content = read_content(octal(field(header, 124, 12)));
    char type = static_cast<char>(header[156]);
    if (type == 'x' || type == 'g') return;  // remarks on times and owners
    fs::path target = folder_ / relative_name(header);
    if (type == '5') {
      fs::create_directories(target);
    } else if (type == '0' || type == '\0') {
      fs::create_directories(target.parent_path());
      write_file(target, content);
    } else {
      damaged(path_, fmt::format("it holds something else than files and folders (type {:?})",
                                 std::string(1, type)));
    }
  }

  // The sum of all bytes, those of the sum itself counted as spaces.
  void check_header(const Bytes& header) {
    uint64_t sum = 8 * ' ';
    for (size_t i = 0; i < block_bytes; ++i)
      if (i < 148 || i >= 156) sum += static_cast<uint64_t>(header[i]);
    if (sum != octal(field(header, 148, 8))) damaged(path_, "the checksum of an entry is wrong");
  }

  uint64_t octal(std::string_view text) {
    uint64_t value = 0;
    size_t first = std::min(text.find_first_not_of(' '), text.size());
    for (char digit : text.substr(first)) {
      if (digit == ' ') break;
      if (digit < '0' || digit > '7') damaged(path_, "an entry has a broken number");
      value = value * 8 + static_cast<uint64_t>(digit - '0');
    }
    return value;
  }

  Bytes read_content(uint64_t size) {
    total_ += size;
    if (size > most_bytes || total_ > most_bytes) damaged(path_, "it claims more than 2 GiB");
    if (size > reader_.most_bytes()) damaged(path_, "the archive ends inside a file");
    Bytes content((size + block_bytes - 1) / block_bytes * block_bytes);
    if (reader_.read(content) < size) damaged(path_, "the archive ends inside a file");
    content.resize(size);
    return content;
  }

  fs::path relative_name(const Bytes& header) {
    fs::path name(field(header, 0, 100));
    if (field(header, 257, 5) == "ustar" && !field(header, 345, 155).empty())
      name = fs::path(field(header, 345, 155)) / name;
    bool leads_out = name.is_absolute() || std::find(name.begin(), name.end(), "..") != name.end();
    if (name.empty() || leads_out)
      damaged(path_, "it holds a file outside its folder: '" + name.string() + "'");
    return name;
  }

  const fs::path& path_;
  const fs::path& folder_;
  GzipReader reader_;
  uint64_t total_ = 0;
};

}  // namespace

void unpack_tar(const fs::path& archive, const fs::path& folder) {
  Archive(archive, folder).unpack();
}

}  // namespace hornbeam
