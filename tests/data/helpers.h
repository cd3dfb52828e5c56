// What the tests of data/ share.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include "base/error.h"

namespace hornbeam {

// A new folder, removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "hornbeam-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Expects that `work` throws an Error with this code whose whole text has all of `parts`.
inline void expect_error(const std::string& code, const std::vector<std::string>& parts,
                         const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    std::string text = error.what();
    EXPECT_EQ(error.code().name, code) << text;
    for (const std::string& part : parts) EXPECT_NE(text.find(part), text.npos) << text;
    return;
  }
  ADD_FAILURE() << "expected error " << code;
}

}  // namespace hornbeam
