// What tests of refusals have in common.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/error.h"

namespace hornbeam {

// `act` must end with this error, whose text has this part.
inline void expect_failure(const std::string& code, const std::string& part,
                           const std::function<void()>& act) {
  try {
    act();
    ADD_FAILURE() << "no error; " << part << " was expected";
  } catch (const Error& error) {
    std::string text = error.what();
    EXPECT_TRUE(text.starts_with("error[" + code + "]")) << text;
    EXPECT_NE(text.find(part), text.npos) << text;
  }
}

// The name of a test whose parameter is a file.
inline std::string name_of_file(const testing::TestParamInfo<std::string>& file) {
  std::string name = file.param;
  for (char& c : name)
    if (c == '/' || c == '.') c = '_';
  return name;
}

}  // namespace hornbeam
