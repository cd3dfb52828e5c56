#include "data/reader_list.h"

#include <algorithm>
#include <fstream>

#include "base/files.h"

namespace hornbeam {
namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure))
    if (entry.is_regular_file(failure)) files.push_back(entry.path());
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    auto key = [](const fs::path& path) {
      return std::pair(path.filename().string().size(), path.filename().string());
    };
    return key(a) < key(b);
  });
  return files;
}

std::vector<std::byte> read_data_file(const fs::path& path) {
  try {
    return read_file(path);
  } catch (const Error& error) {
    throw Error("H201", error.parts());
  }
}

bool begins_with(const fs::path& file, std::string_view bytes) {
  std::error_code failure;
  if (!fs::is_regular_file(file, failure)) return false;
  std::string start(bytes.size(), '\0');
  std::ifstream stream(file, std::ios::binary);
  return stream.read(start.data(), std::ssize(start)) && start == bytes;
}

std::string name_with_part(const DataRequest& request) {
  return request.path.string() + ":" + std::string(name_of(request.part));
}

void no_such_part(const DataRequest& request, const std::string& expected) {
  throw Error("H201", {.message = "'" + request.path.string() + "' has no part '" +
                                  std::string(name_of(request.part)) + "'",
                       .place = request.path.string(),
                       .notes = {expected}});
}

void damaged(const fs::path& file, const std::string& message) {
  throw Error("H202", {.message = message,
                       .place = file.string(),
                       .help = "the file is truncated or damaged; copy or download it again"});
}

}  // namespace hornbeam
