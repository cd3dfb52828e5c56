#include "backends/pjrt/program_cache.h"

#include "base/digest.h"
#include "base/error.h"
#include "base/files.h"

namespace hornbeam::pjrt {
namespace {

constexpr size_t digest_size = 64;

}  // namespace

std::filesystem::path ProgramCache::file_of(std::string_view key) const {
  return folder_ / (sha256_of(key) + ".program");
}

// A file is the digest of the program, then the program: plugins need not survive damaged code.
std::optional<std::string> ProgramCache::find(std::string_view key) const {
  std::error_code ignored;
  if (folder_.empty() || !std::filesystem::exists(file_of(key), ignored)) return {};
  try {
    std::string text = read_text(file_of(key));
    if (text.size() < digest_size) return {};
    std::string program = text.substr(digest_size);
    if (sha256_of(program) != text.substr(0, digest_size)) return {};
    return program;
  } catch (const Error&) {
    return {};
  }
}

void ProgramCache::put(std::string_view key, std::string_view program) const {
  if (folder_.empty()) return;
  try {
    make_folder(folder_);
    write_text(file_of(key), sha256_of(program) + std::string(program));
  } catch (const Error&) {
    return;
  }
}

}  // namespace hornbeam::pjrt
