// Compiled programs kept on disk, so that the next run need not compile them again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace hornbeam::pjrt {

class ProgramCache {
 public:
  // An empty path keeps nothing.
  explicit ProgramCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // `key` is all that the program depends on. Nothing for one that is not there, or is damaged.
  std::optional<std::string> find(std::string_view key) const;
  // A folder that cannot be written to keeps nothing; that is no error.
  void put(std::string_view key, std::string_view program) const;

 private:
  std::filesystem::path file_of(std::string_view key) const;

  std::filesystem::path folder_;
};

}  // namespace hornbeam::pjrt
