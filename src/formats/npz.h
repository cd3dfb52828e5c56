// NumPy's .npz: a zip archive of named .npy arrays, stored or compressed.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/named_tensor.h"
#include "formats/zip.h"

namespace hornbeam {

// Arrays are decoded one by one when asked for. Throws what ZipReader and parse_npy throw.
class NpzReader {
 public:
  explicit NpzReader(const std::filesystem::path& path);

  // In the order of the archive, without ".npy"; other entries are left out.
  const std::vector<std::string>& names() const { return names_; }
  bool contains(const std::string& name) const;
  Tensor read(const std::string& name) const;

 private:
  std::string path_;
  ZipReader archive_;
  std::vector<std::string> names_;
};

std::vector<NamedTensor> read_npz(const std::filesystem::path& path);
void write_npz(const std::filesystem::path& path, std::span<const NamedTensor> arrays);

}  // namespace hornbeam
