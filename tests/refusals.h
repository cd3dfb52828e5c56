// What tests of refusals have in common.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"

namespace hornbeam {

// `act` must end with an error of this code, whose whole text has all of `parts`.
inline void expect_error(const std::string& code, const std::vector<std::string>& parts,
                         const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    std::string text = error.what();
    EXPECT_TRUE(text.starts_with("error[" + code + "]")) << text;
    for (const std::string& part : parts) EXPECT_NE(text.find(part), text.npos) << text;
    return;
  }
  ADD_FAILURE() << "no error; " << code << " was expected";
}

inline void expect_failure(const std::string& code, const std::string& part,
                           const std::function<void()>& act) {
  expect_error(code, {part}, act);
}

// The name of a test whose parameter is a file.
inline std::string name_of_file(const testing::TestParamInfo<std::string>& file) {
  std::string name = file.param;
  for (char& c : name)
    if (c == '/' || c == '.') c = '_';
  return name;
}

}  // namespace hornbeam
