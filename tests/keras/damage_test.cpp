// Damaged model files, cut off or with changed bytes: read or refused with one error, never
// anything else. Most valuable under the sanitizers.
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "base/rng.h"
#include "keras/load.h"
#include "refusals.h"
#include "temporary_folder.h"

namespace hornbeam {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

fs::path golden_file(const std::string& name) {
  return fs::path(HORNBEAM_TESTS_FOLDER) / "golden/files" / name;
}

// Whether the file was refused; then by a fault of the file and not of ours.
bool refused(Bytes content, const std::string& name) {
  try {
    load_model(std::move(content), name);
    return false;
  } catch (const Error& error) {
    EXPECT_EQ(error.code().exit, Exit::input) << error.what();
    EXPECT_NE(error.parts().place, "") << error.what();
    return true;
  }
}

const std::string whole_models[] = {"keras_3/sequential.keras", "keras_3/sequential.h5",
                                    "keras_3/sequential.json", "keras_2/nested.h5",
                                    "old/keras_1_theano_first.h5"};

class Damaged : public testing::TestWithParam<std::string> {
 protected:
  Bytes whole_ = read_file(golden_file(GetParam()));
};

// Every length near both ends, where headers and directories are, and many between.
TEST_P(Damaged, ByACutIsRefused) {
  constexpr size_t near = 600, step = 61;
  for (size_t length = 0; length < whole_.size();) {
    Bytes cut(whole_.begin(), whole_.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_TRUE(refused(std::move(cut), GetParam())) << length << " of " << whole_.size();
    bool at_an_end = length < near || length + near > whole_.size();
    length += at_an_end ? 1 : step;
  }
}

Bytes with_changes(Bytes content, Random& random, int changes) {
  for (int i = 0; i < changes; ++i)
    content[random.below(content.size())] ^= static_cast<std::byte>(1 + random.below(255));
  return content;
}

TEST_P(Damaged, ByChangesIsReadOrRefused) {
  Random random(1);
  for (int round = 0; round < 1500; ++round)
    refused(with_changes(whole_, random, 1 + round % 4), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Files, Damaged, testing::ValuesIn(whole_models), name_of_file);

// The checksums of an archive hide what is wrong inside it, so weights are damaged on their own.
TEST(DamagedWeights, AreReadOrRefused) {
  Bytes whole = read_file(golden_file("keras_3/nested.weights.h5"));
  TemporaryFolder folder;
  fs::path damaged = folder / "damaged.weights.h5";
  Random random(2);
  for (int round = 0; round < 600; ++round) {
    write_file(damaged, with_changes(whole, random, 1 + round % 4));
    try {
      load_model_file(golden_file("keras_3/nested.json"), damaged);
    } catch (const Error& error) {
      EXPECT_EQ(error.code().exit, Exit::input) << error.what();
    }
  }
}

}  // namespace
}  // namespace hornbeam
