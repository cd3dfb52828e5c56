// Reading whole files, and writing so that a crash or a full disk never leaves a broken file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hornbeam {

// Throws H101 (missing, a folder, a pipe, not readable), naming the path.
std::vector<std::byte> read_file(const std::filesystem::path& path);
std::string read_text(const std::filesystem::path& path);
std::ifstream open_file(const std::filesystem::path& path);
[[noreturn]] void cannot_read(const std::filesystem::path& path, const std::string& why);

// Throws H120, saying why `path` cannot be written and what to do.
[[noreturn]] void cannot_write(const std::filesystem::path& path, std::string_view why);
// The folder and those above it, where they are missing; H120.
void make_folder(const std::filesystem::path& path);
// The same; false when the folder itself is there already. Of several processes that make a folder
// at once, one is told true.
bool make_new_folder(const std::filesystem::path& path);

// Calls `write` with the path of a new file in the same folder, flushes it to the disk and renames
// it to `path`, or to where the link `path` leads. When anything fails the new file is removed, an
// old one stays untouched; throws H120 for failures of the file system.
void write_aside(const std::filesystem::path& path,
                 const std::function<void(const std::filesystem::path& aside)>& write);
void write_file(const std::filesystem::path& path, std::span<const std::byte> content);
void write_text(const std::filesystem::path& path, std::string_view content);

// The path of a file in the same folder as `path`, for what is made on the way to it; the file is
// removed at the end of the scope. One that a killed process left there is removed, too.
class ScratchFile {
 public:
  ScratchFile(const std::filesystem::path& path, std::string_view suffix);
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace hornbeam
