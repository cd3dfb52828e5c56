// Making small .gz and .tar.gz files for tests.
#pragma once

#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <string>

namespace hornbeam {

inline void write_gzip(const std::filesystem::path& path, const std::string& content) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
  gzclose(file);
}

// One entry of a tar archive in the ustar format.
inline std::string tar_entry(const std::string& name, const std::string& content, char type = '0',
                             size_t claimed_size = std::string::npos) {
  std::string header(512, '\0');
  auto put = [&](size_t at, const std::string& text) { header.replace(at, text.size(), text); };
  char size[13], sum[8];
  std::snprintf(size, sizeof(size), "%011zo",
                claimed_size == std::string::npos ? content.size() : claimed_size);
  put(0, name);
  put(100, "0000644");
  put(124, std::string(size, 11));
  put(148, std::string(8, ' '));
  put(156, std::string(1, type));
  put(257, std::string("ustar\0"
                       "00",
                       8));
  unsigned total = 0;
  for (char c : header) total += static_cast<unsigned char>(c);
  std::snprintf(sum, sizeof(sum), "%06o", total);
  put(148, std::string(sum, 7));
  return header + content + std::string((512 - content.size() % 512) % 512, '\0');
}

inline const std::string tar_end(1024, '\0');

}  // namespace hornbeam
