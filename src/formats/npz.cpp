#include "formats/npz.h"

#include <algorithm>

#include "formats/npy.h"

namespace hornbeam {
namespace {

constexpr std::string_view ending = ".npy";

}  // namespace

NpzReader::NpzReader(const std::filesystem::path& path) : path_(path.string()), archive_(path) {
  for (const std::string& entry : archive_.names())
    if (entry.ends_with(ending)) names_.push_back(entry.substr(0, entry.size() - ending.size()));
}

bool NpzReader::contains(const std::string& name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

Tensor NpzReader::read(const std::string& name) const {
  std::vector<std::byte> content = archive_.read(name + std::string(ending));
  return parse_npy(content, path_ + ", array \"" + name + "\"");
}

std::vector<NamedTensor> read_npz(const std::filesystem::path& path) {
  NpzReader reader(path);
  std::vector<NamedTensor> arrays;
  for (const std::string& name : reader.names()) arrays.push_back({name, reader.read(name)});
  return arrays;
}

void write_npz(const std::filesystem::path& path, std::span<const NamedTensor> arrays) {
  std::vector<ZipEntry> entries;
  for (const NamedTensor& array : arrays)
    entries.push_back({array.name + std::string(ending), npy_bytes(array.tensor)});
  write_zip(path, entries);
}

}  // namespace hornbeam
