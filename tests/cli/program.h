// The program itself, run as users run it, and small files for it to work on.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "temporary_folder.h"

namespace hornbeam {

struct Ran {
  int exit;
  std::string out, err;
  int64_t peak_bytes = 0;  // the most that was resident from the start of the process on
  Json json() const { return parse_json(out, "stdout"); }
};

// Each test has an empty folder of its own, in which the program runs.
class ProgramTest : public testing::Test {
 protected:
  // `arguments` are those of a shell.
  Ran run(const std::string& arguments) const;
  // Under limits of the shell, as "ulimit -f 20".
  Ran run_under(const std::string& limits, const std::string& arguments) const;
  // Several of them at the same time; their exit codes.
  std::vector<int> run_at_once(const std::string& arguments, int count) const;
  // With a terminal for all output, which comes back in `out`.
  Ran run_on_a_terminal(const std::string& arguments) const;
  // Starts it and sends a signal as soon as `path` exists.
  Ran interrupt(const std::string& arguments, const std::filesystem::path& path, int signal) const;

  std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  std::string text(const std::string& name) const;

  // A compiled model of tests/golden: 3 numbers to 2, mean squared error; and data for it.
  std::string regression_model() const;
  std::string regression_data(int64_t samples = 10) const;
  // 8 x 8 x 3 to 10 classes, categorical cross-entropy and accuracy; labels are given.
  std::string classes_model() const;
  std::string classes_data(const std::vector<int32_t>& labels) const;

 private:
  TemporaryFolder folder_;
};

// The keys of an object in their order.
std::vector<std::string> keys(const Json& object);

}  // namespace hornbeam
