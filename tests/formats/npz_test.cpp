// The archives of tests/formats/npy were written by NumPy (make.py beside them). Case B53.
#include "formats/npz.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/files.h"
#include "temporary_folder.h"

namespace hornbeam {
namespace {
namespace fs = std::filesystem;

fs::path file(const std::string& name) {
  return fs::path(HORNBEAM_TESTS_FOLDER) / "formats/npy" / name;
}

const Tensor one_to_six = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});

TEST(Npz, ReadsStoredAndCompressedArchives) {
  for (std::string name : {"stored.npz", "compressed.npz"}) {  // x of the latter is column-major
    std::vector<NamedTensor> arrays = read_npz(file(name));
    ASSERT_EQ(arrays.size(), 2u) << name;
    EXPECT_EQ(arrays[0].name, "x");
    EXPECT_TRUE(identical(arrays[0].tensor, one_to_six));
    EXPECT_EQ(arrays[1].name, "y");
    EXPECT_TRUE(identical(arrays[1].tensor, Tensor::of<int64_t>({2}, {0, 1})));
  }
}

TEST(Npz, ReadsOnlyWhatIsAskedFor) {
  NpzReader reader(file("with_object.npz"));
  EXPECT_EQ(reader.names(), (std::vector<std::string>{"x", "words"}));
  EXPECT_TRUE(identical(reader.read("x"), one_to_six));
  EXPECT_FALSE(reader.contains("z"));
  EXPECT_THROW(reader.read("z"), Error);
  try {
    reader.read("words");
    FAIL() << "an object array was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code().name, "H208");
    EXPECT_NE(error.parts().place.find("with_object.npz, array \"words\""), std::string::npos);
  }
}

TEST(Npz, RefusesEveryTruncation) {
  std::vector<std::byte> whole = read_file(file("compressed.npz"));
  TemporaryFolder folder;
  fs::path cut = folder / "cut.npz";
  for (size_t length = 0; length < whole.size(); ++length) {
    std::ofstream(cut, std::ios::binary)
        .write(reinterpret_cast<const char*>(whole.data()), static_cast<std::streamsize>(length));
    EXPECT_THROW(read_npz(cut), Error) << length;
  }
}

TEST(Npz, WritesWhatItReads) {
  TemporaryFolder folder;
  fs::path path = folder / "written.npz";
  std::vector<NamedTensor> arrays = {{"a", one_to_six}, {"b/c", Tensor::scalar<int32_t>(7)}};
  write_npz(path, arrays);
  std::vector<NamedTensor> read = read_npz(path);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[1].name, "b/c");
  EXPECT_TRUE(identical(read[0].tensor, one_to_six));
  EXPECT_TRUE(identical(read[1].tensor, arrays[1].tensor));
}

}  // namespace
}  // namespace hornbeam
