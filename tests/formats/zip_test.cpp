// The archives of tests/formats/zip were written by Python's zipfile (make.py beside them).
#include "formats/zip.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/files.h"
#include "base/rng.h"
#include "refusals.h"
#include "temporary_folder.h"

namespace hornbeam {
namespace {

std::filesystem::path file(const std::string& name) {
  return std::filesystem::path(HORNBEAM_TESTS_FOLDER) / "formats/zip" / (name + ".zip");
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::byte> bytes_of(std::string_view text) {
  auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// The bytes of `name` with `count` bytes at the last place of `signature`, plus `offset`, replaced.
std::vector<std::byte> altered(const std::string& name, std::string_view signature, size_t offset,
                               uint64_t value, size_t count) {
  std::vector<std::byte> content = read_file(file(name));
  size_t found = text_of(content).rfind(signature);
  EXPECT_NE(found, std::string::npos);
  std::memcpy(content.data() + found + offset, &value, count);
  return content;
}

constexpr std::string_view directory_entry = "PK\x01\x02";

void read_all(const ZipReader& zip) {
  for (const std::string& name : zip.names()) zip.read(name);
}

TEST(ZipReader, ReadsStoredAndDeflatedEntries) {
  ZipReader zip(file("both_methods"));
  EXPECT_EQ(zip.names(), (std::vector<std::string>{"stored.txt", "folder/deflated.bin", "empty",
                                                   "hägbuche.txt"}));
  EXPECT_TRUE(zip.contains("empty"));
  EXPECT_FALSE(zip.contains("deflated.bin"));
  EXPECT_EQ(text_of(zip.read("stored.txt")), "stored text");
  EXPECT_EQ(text_of(zip.read("hägbuche.txt")), "a name beyond ASCII");
  EXPECT_TRUE(zip.read("empty").empty());
  std::vector<std::byte> deflated = zip.read("folder/deflated.bin");
  ASSERT_EQ(deflated.size(), 2048u);
  for (size_t i = 0; i < deflated.size(); ++i) ASSERT_EQ(deflated[i], std::byte(i % 256));
}

TEST(ZipReader, ReadsFromMemoryAndZip64) {
  ZipReader zip(read_file(file("zip64")));
  ZipReader moved = std::move(zip);
  EXPECT_EQ(text_of(moved.read("data")).substr(85), "567890123456789");
}

TEST(ZipReader, BelievesTheLargestRatioOfDeflate) {
  std::vector<std::byte> zeros = ZipReader(file("zeros")).read("zeros");
  EXPECT_EQ(zeros, std::vector<std::byte>(1'000'000));
}

TEST(ZipReader, NamesWhatIsMissing) {
  expect_failure("H101", "no_such.zip", [] { ZipReader zip(file("no_such")); });
  expect_failure("H101", "irectory", [] { ZipReader zip(file("..").parent_path()); });
  expect_failure("H103", "no entry 'weights'", [] { ZipReader(file("zip64")).read("weights"); });
}

TEST(ZipReader, RefusesWhatIsNoArchive) {
  expect_failure("H103", "cat.keras", [] { ZipReader zip(bytes_of("meow"), "cat.keras"); });
  expect_failure("H103", "empty", [] { ZipReader zip(std::vector<std::byte>{}); });
}

TEST(ZipReader, RefusesWrongChecksums) {
  std::vector<std::byte> content = altered("both_methods", "stored text", 0, 'S', 1);
  ZipReader zip(content);
  expect_failure("H103", "entry 'stored.txt'", [&] { zip.read("stored.txt"); });
}

TEST(ZipReader, RefusesAbsurdSizes) {
  constexpr size_t packed_size = 20, whole_size = 24;  // in an entry of the central directory
  for (uint64_t claim : {uint64_t{1'100'000'000}, uint64_t{0xfffffffe}})
    expect_failure("H103", "cannot hold", [&] {
      ZipReader(altered("zeros", directory_entry, whole_size, claim, 4)).read("zeros");
    });
  expect_failure("H103", "than the whole file", [&] {
    ZipReader(altered("zeros", directory_entry, packed_size, 2'000'000, 4)).read("zeros");
  });
  expect_failure("H103", "zeros", [&] {
    ZipReader(altered("zeros", directory_entry, whole_size, 999'999, 4)).read("zeros");
  });
  expect_failure("H103", "zeros", [&] {
    ZipReader(altered("zeros", directory_entry, whole_size, 1'000'001, 4)).read("zeros");
  });
}

TEST(ZipReader, RefusesOtherPackings) {
  expect_failure("H103", "neither stored nor deflated",
                 [] { ZipReader(file("bzip2")).read("data"); });
}

TEST(ZipReader, RefusesDuplicateNames) {
  TemporaryFolder folder;
  std::filesystem::path path = folder / "duplicates.zip";
  write_zip(path, std::vector<ZipEntry>{{"a1", bytes_of("one")}, {"a2", bytes_of("two")}});
  std::string text = read_text(path);
  for (size_t at = 0; (at = text.find("a2", at)) != text.npos;) text[at + 1] = '1';
  expect_failure("H103", "two entries named 'a1'", [&] { ZipReader zip(bytes_of(text)); });
}

TEST(ZipReader, SurvivesDamage) {
  for (std::string name : {"both_methods", "zip64", "zeros"}) {
    std::vector<std::byte> whole = read_file(file(name));
    Random random(7);
    for (int variant = 0; variant < 1500; ++variant) {
      std::vector<std::byte> content = whole;
      if (variant % 3 == 0) content.resize(random.below(whole.size()));
      for (uint64_t flips = random.below(8); flips > 0 && !content.empty(); --flips)
        content[random.below(content.size())] = std::byte(random.below(256));
      try {
        read_all(ZipReader(content));
      } catch (const Error& error) {
        EXPECT_EQ(error.code().name, "H103") << error.what();
      }
    }
  }
}

TEST(WriteZip, StoresInTheGivenOrder) {
  TemporaryFolder folder;
  std::filesystem::path path = folder / "written.zip";
  std::vector<ZipEntry> entries{{"metadata.json", bytes_of("{}")},
                                {"b/ä", {}},
                                {"a.h5", std::vector<std::byte>(100'000, std::byte{3})}};
  write_zip(path, entries);
  EXPECT_GT(std::filesystem::file_size(path), 100'000u);
  ZipReader zip(path);
  EXPECT_EQ(zip.names(), (std::vector<std::string>{"metadata.json", "b/ä", "a.h5"}));
  for (const ZipEntry& entry : entries) EXPECT_EQ(zip.read(entry.name), entry.content);
  std::vector<std::byte> first = read_file(path);
  write_zip(path, entries);
  EXPECT_EQ(read_file(path), first);
}

TEST(WriteZip, NamesAFolderThatIsMissing) {
  TemporaryFolder folder;
  std::vector<ZipEntry> entries{{"a", {}}};
  expect_failure("H120", "no_such_folder",
                 [&] { write_zip(folder / "no_such_folder/x.zip", entries); });
  entries.push_back({"a", {}});
  expect_failure("H120", "twice.zip", [&] { write_zip(folder / "twice.zip", entries); });
}

}  // namespace
}  // namespace hornbeam
