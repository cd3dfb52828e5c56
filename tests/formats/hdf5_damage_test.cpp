// Damaged files give values or errors, never a crash, a hang or a huge allocation. The digests of
// real model files were computed by h5py (hdf5/digest.py).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>

#include "base/error.h"
#include "base/files.h"
#include "base/rng.h"
#include "formats/hdf5.h"
#include "formats/zip.h"

namespace hornbeam {
namespace {

// A CRC-32 over everything in a file, in a fixed order: see digest.py.
class Digest {
 public:
  explicit Digest(int depth = 64) : depth_(depth) {}
  uint32_t value() const { return static_cast<uint32_t>(crc_); }

  void add(const Hdf5Group& group) {
    if (depth_ == 0) return;
    --depth_;
    add(group.path() + "\n");
    std::vector<std::string> attributes = group.attribute_names();
    std::sort(attributes.begin(), attributes.end());
    for (const std::string& name : attributes) {
      add("@" + name + "\n");
      try {
        add(group.texts_attribute(name));
      } catch (const Error&) {
        add(group.number_attribute(name));
      }
    }
    for (const std::string& name : group.names()) add_member(group, name);
    ++depth_;
  }

 private:
  void add_member(const Hdf5Group& group, const std::string& name) {
    if (group.has_group(name)) return add(group.group(name));
    add((group.path() == "/" ? "" : group.path()) + "/" + name + "\n");
    try {
      add(group.texts(name));
    } catch (const Error&) {
      add(group.dataset(name));
    }
  }

  void add(const std::string& text) { add(std::as_bytes(std::span(text))); }
  void add(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) add(text + "\n");
  }
  void add(const Tensor& tensor) {
    std::string extents;
    for (int64_t extent : tensor.shape())
      extents += fmt::format("{}{}", extents.empty() ? "" : ", ", extent);
    add(fmt::format("{} ({})\n", name_of(tensor.dtype()), extents));
    add(std::span(tensor.data(), tensor.bytes()));
  }
  void add(std::span<const std::byte> bytes) {
    crc_ = crc32_z(crc_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  }

  int depth_;
  uLong crc_ = 0;
};

std::vector<std::byte> model_content(const std::filesystem::path& path) {
  return path.extension() == ".keras" ? ZipReader(path).read("model.weights.h5") : read_file(path);
}

TEST(Hdf5File, ReadsRealModelsAsH5pyDoes) {
  std::filesystem::path models = std::filesystem::path(HORNBEAM_SHARED_DATA) / "keras-models";
  if (!std::filesystem::exists(models)) GTEST_SKIP() << "there is no " << models;
  std::ifstream table(std::string(HORNBEAM_TESTS_FOLDER) + "/formats/hdf5/shared_models.tsv");
  std::string name, expected;
  int files = 0;
  while (std::getline(table, name, '\t') && std::getline(table, expected)) {
    Digest digest;
    digest.add(Hdf5File::parse(source_owning(model_content(models / name)), name).root());
    EXPECT_EQ(fmt::format("{:08x}", digest.value()), expected) << name;
    ++files;
  }
  EXPECT_EQ(files, 59);
}

template <class Act>
void attempt(Act act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_TRUE(error.code().name == "H102" || error.code().name == "H101") << error.what();
  }
}

// Reads all there is, going on after errors.
void read_all(const Hdf5Group& group, int depth) {
  std::vector<std::string> attributes, names;
  attempt([&] { attributes = group.attribute_names(); });
  if (attributes.size() > 10) attributes.resize(10);
  for (const std::string& name : attributes) {
    attempt([&] { group.texts_attribute(name); });
    attempt([&] { group.number_attribute(name); });
  }
  attempt([&] { names = group.names(); });
  if (names.size() > 30) names.resize(30);  // the members of wide groups are alike
  for (const std::string& name : names) {
    bool is_group = false;
    attempt([&] { is_group = group.has_group(name); });
    if (is_group && depth > 0) attempt([&] { read_all(group.group(name), depth - 1); });
    attempt([&] { group.dataset(name); });
    attempt([&] { group.texts(name); });
  }
}

void survive(std::vector<std::byte> content) {
  attempt([&] { read_all(Hdf5File::parse(source_owning(std::move(content)), "x.h5").root(), 3); });
}

class Hdf5Damage : public ::testing::TestWithParam<std::string> {
 protected:
  std::vector<std::byte> whole_ = read_file(std::filesystem::path(HORNBEAM_TESTS_FOLDER) /
                                            "formats/hdf5" / (GetParam() + ".h5"));
};

INSTANTIATE_TEST_SUITE_P(Files, Hdf5Damage,
                         ::testing::Values("default", "v108", "latest", "many_chunks",
                                           "user_block"),
                         [](const auto& file) { return file.param; });

TEST_P(Hdf5Damage, TruncatedFilesAreRefused) {
  Random random(1);
  for (int variant = 0; variant < 500; ++variant) {
    std::vector<std::byte> content = whole_;
    content.resize(random.below(whole_.size()));
    EXPECT_THROW(Hdf5File::parse(source_owning(std::move(content)), "x.h5"), Error);
  }
}

TEST_P(Hdf5Damage, FlippedBytesAreSurvived) {
  Random random(2);
  for (int variant = 0; variant < 1000; ++variant) {
    std::vector<std::byte> content = whole_;
    for (uint64_t flips = 1 + random.below(20); flips > 0; --flips)
      content[random.below(content.size())] = std::byte(random.below(256));
    survive(std::move(content));
  }
}

// Where structures are: numbers near their marks are replaced by telling ones.
TEST_P(Hdf5Damage, FalseNumbersInStructuresAreSurvived) {
  constexpr std::string_view marks[] = {"TREE", "SNOD", "HEAP", "GCOL", "OHDR",
                                        "OCHK", "FRHP", "FHDB", "FHIB", "BTHD",
                                        "BTLF", "BTIN", "FAHD", "FADB", "\x89HDF"};
  std::string_view text(reinterpret_cast<const char*>(whole_.data()), whole_.size());
  std::vector<size_t> places;
  for (std::string_view mark : marks)
    for (size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1))
      places.push_back(at);
  Random random(3);
  const uint64_t numbers[] = {0, 1, 2, 8, 255, 0xffff, whole_.size(), ~uint64_t{0}, 1ull << 47};
  for (int variant = 0; variant < 1000; ++variant) {
    std::vector<std::byte> content = whole_;
    size_t at = places[random.below(places.size())] + 4 + random.below(60);
    uint64_t number = random.below(2) ? numbers[random.below(std::size(numbers))]
                                      : places[random.below(places.size())];
    size_t width = size_t{1} << random.below(4);
    for (size_t i = 0; i < width && at + i < content.size(); ++i)
      content[at + i] = std::byte(number >> (8 * i));
    survive(std::move(content));
  }
}

}  // namespace
}  // namespace hornbeam
