#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>

#include "base/error.h"

namespace hornbeam {
namespace fs = std::filesystem;
namespace {

// `target` is what it will be called.
void flush_to_disk(const fs::path& path, const fs::path& target) {
  int file = ::open(path.c_str(), O_RDWR);
  if (file < 0) cannot_write(target, std::strerror(errno));
  bool flushed = ::fsync(file) == 0;
  int reason = errno;
  ::close(file);
  if (!flushed) cannot_write(target, std::strerror(reason));
}

bool is_gone(std::string_view process) {
  pid_t number = 0;
  auto [end, failure] = std::from_chars(process.data(), process.data() + process.size(), number);
  bool is_number = failure == std::errc() && end == process.data() + process.size() && number > 0;
  return is_number && ::kill(number, 0) != 0 && errno == ESRCH;
}

// What stands at `stem` and the number of a process that was killed before it could tidy up.
void remove_left_behind(const fs::path& stem) {
  const std::string start = stem.filename().string();
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(fs::absolute(stem).parent_path(), ignored)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with(start) && is_gone(std::string_view(name).substr(start.size())))
      fs::remove(entry.path(), ignored);
  }
}

// The place that a chain of links names, so that a link stays one when its file is replaced.
fs::path behind_links(fs::path path) {
  constexpr int most = 40;
  std::error_code ignored;
  for (int link = 0; link < most && fs::is_symlink(path, ignored); ++link)
    path = path.parent_path() / fs::read_symlink(path, ignored);
  return path;
}

}  // namespace

void cannot_read(const fs::path& path, const std::string& why) {
  throw Error("H101",
              {.message = "cannot read '" + path.string() + "': " + why, .place = path.string()});
}

std::ifstream open_file(const fs::path& path) {
  std::error_code failure;
  if (fs::is_directory(path, failure)) cannot_read(path, "it is a folder");
  // A pipe would be waited for, and its length is not known.
  if (fs::exists(path, failure) && !fs::is_regular_file(path, failure))
    cannot_read(path, "it is a pipe or a device, not a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) cannot_read(path, std::strerror(errno));
  return file;
}

std::vector<std::byte> read_file(const fs::path& path) {
  std::ifstream file = open_file(path);
  std::error_code failure;
  uintmax_t size = fs::file_size(path, failure);
  if (failure) cannot_read(path, failure.message());
  std::vector<std::byte> content(size);
  file.read(reinterpret_cast<char*>(content.data()), static_cast<std::streamsize>(size));
  if (!file) cannot_read(path, "reading stopped early");
  return content;
}

std::string read_text(const fs::path& path) {
  std::vector<std::byte> content = read_file(path);
  return {reinterpret_cast<const char*>(content.data()), content.size()};
}

void cannot_write(const fs::path& path, std::string_view why) {
  throw Error("H120", {.message = fmt::format("cannot write '{}': {}", path.string(), why),
                       .place = path.string(),
                       .help = "check that the folder exists, may be written to and has room"});
}

void make_folder(const fs::path& path) {
  std::error_code failure;
  fs::create_directories(path, failure);
  if (failure) cannot_write(path, failure.message());
}

bool make_new_folder(const fs::path& path) {
  if (path.has_parent_path()) make_folder(path.parent_path());
  std::error_code failure;
  bool made = fs::create_directory(path, failure);
  if (failure) cannot_write(path, failure.message());
  return made;
}

ScratchFile::ScratchFile(const fs::path& path, std::string_view suffix) : path_(path) {
  path_ += "." + std::string(suffix) + "-";
  remove_left_behind(path_);
  path_ += std::to_string(::getpid());
}

ScratchFile::~ScratchFile() {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

void write_aside(const fs::path& path, const std::function<void(const fs::path&)>& write) {
  const fs::path target = behind_links(path);
  ScratchFile aside(target, "writing");
  write(aside.path());
  flush_to_disk(aside.path(), path);
  std::error_code failure;
  fs::rename(aside.path(), target, failure);
  if (failure) cannot_write(path, failure.message());
}

void write_file(const fs::path& path, std::span<const std::byte> content) {
  write_aside(path, [&](const fs::path& aside) {
    std::ofstream file(aside, std::ios::binary);
    file.write(reinterpret_cast<const char*>(content.data()),
               static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file) cannot_write(path, std::strerror(errno));
  });
}

void write_text(const fs::path& path, std::string_view content) {
  write_file(path, std::as_bytes(std::span(content)));
}

}  // namespace hornbeam
