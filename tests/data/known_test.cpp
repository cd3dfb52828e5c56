#include "data/known.h"

#include "archives.h"
#include "base/files.h"
#include "data/tar.h"
#include "refusals.h"
#include "temporary_folder.h"

namespace hornbeam {
namespace {
namespace fs = std::filesystem;

std::string record(char label) { return label + std::string(3072, '\x09'); }

std::string cifar_tar() {
  return tar_entry("small-bin/", "", '5') + tar_entry("small-bin/train.bin", record(1)) +
         tar_entry("small-bin/test.bin", record(2) + record(3)) + tar_end;
}

TEST(Tar, Unpacks) {
  TemporaryFolder folder;
  write_gzip(folder / "a.tar.gz", tar_entry("remark", "x", 'x') + cifar_tar());
  unpack_tar(folder / "a.tar.gz", folder.path());
  EXPECT_EQ(read_text(folder / "small-bin/train.bin"), record(1));
  EXPECT_EQ(read_text(folder / "small-bin/test.bin").size(), 2u * 3073);
  EXPECT_FALSE(fs::exists(folder / "remark"));
}

// Written by GNU tar: tar --format=ustar -czf written_by_tar.tar.gz with a folder and a long name.
TEST(Tar, UnpacksWhatTarWrites) {
  TemporaryFolder folder;
  unpack_tar(fs::path(HORNBEAM_TESTS_FOLDER) / "data/tar/written_by_tar.tar.gz", folder.path());
  std::string level(60, 'n');
  EXPECT_EQ(read_text(folder / (level + "/" + level + "/deep.txt")), "deep\n");
  EXPECT_EQ(read_text(folder / "top.txt"), "top\n");
}

TEST(Tar, RefusesHostileArchives) {
  TemporaryFolder folder;
  std::string broken_sum = tar_entry("a", "b");
  broken_sum[0] = 'c';
  struct Case {
    std::string content, part;
  };
  const Case cases[] = {
      {tar_entry("../out", "x") + tar_end, "outside its folder: '../out'"},
      {tar_entry("/tmp/out", "x") + tar_end, "outside its folder"},
      {tar_entry("a/../../out", "x") + tar_end, "outside its folder"},
      {tar_entry("", "x") + tar_end, "outside its folder"},
      {tar_entry("link", "", '2') + tar_end, "something else than files"},
      {broken_sum + tar_end, "checksum of an entry is wrong"},
      {tar_entry("a", "", '0', size_t{3} << 30) + tar_end, "more than 2 GiB"},
      {tar_entry("a", "x"), "ends without an end mark"},
      {tar_entry("a", std::string(600, 'x')).substr(0, 1100), "ends inside a file"},
      {"words", "ends without an end mark"},
  };
  for (const Case& c : cases) {
    write_gzip(folder / "a.tar.gz", c.content);
    fs::create_directory(folder / "into");
    expect_error("H202", {c.part, "a.tar.gz"},
                 [&] { unpack_tar(folder / "a.tar.gz", folder / "into"); });
    fs::remove_all(folder / "into");
  }
}

// A published data set of two folders: `origin` is what lies on the web, `cache` is empty.
class Known : public ::testing::Test {
 protected:
  Known() {
    fs::create_directories(folder / "origin");
    write_gzip(folder / "origin/small.tar.gz", cifar_tar());
    checksum = checksum_of(folder / "origin/small.tar.gz");
    url = "file://" + (folder / "origin/").string();
    small = {"small", url, "", {{"small.tar.gz", 0, checksum}}, {"small-bin"}};
  }

  DataPlaces places(const std::string& mirror = "") {
    return {.folders = {folder / "mine"}, .cache = folder / "cache", .mirror = mirror};
  }

  TemporaryFolder folder;
  std::string checksum, url;
  KnownDataset small;
};

TEST_F(Known, IsDownloadedUnpackedAndFoundAgain) {
  EXPECT_EQ(locate(small, places()), folder / "cache/small-bin");
  EXPECT_EQ(read_dataset({.path = folder / "cache/small-bin", .part = Part::test}).samples(), 2);
  fs::remove_all(folder / "origin");
  EXPECT_EQ(locate(small, places()), folder / "cache/small-bin");
  fs::remove_all(folder / "cache/small-bin");  // the archive is still there
  EXPECT_EQ(locate(small, places()), folder / "cache/small-bin");
}

TEST_F(Known, IsTakenFromTheFoldersOfTheUser) {
  fs::create_directories(folder / "mine");
  fs::copy(folder / "origin/small.tar.gz", folder / "mine");
  fs::remove_all(folder / "origin");
  EXPECT_EQ(locate(small, places()), folder / "cache/small-bin");
  fs::rename(folder / "cache/small-bin", folder / "mine/small-bin");
  EXPECT_EQ(locate(small, places()), folder / "mine/small-bin");
}

TEST_F(Known, IsCheckedWhereverItComesFrom) {
  write_gzip(folder / "origin/small.tar.gz", "other");
  expect_error("H202", {"small.tar.gz", checksum}, [&] { locate(small, places()); });
  EXPECT_TRUE(fs::is_empty(folder / "cache"));
  fs::create_directories(folder / "mine");
  fs::copy(folder / "origin/small.tar.gz", folder / "mine");
  expect_error("H202", {"mine/small.tar.gz", checksum}, [&] { locate(small, places()); });
}

TEST_F(Known, OfflineTheMessageSaysWhatToPutWhere) {
  fs::remove_all(folder / "origin");
  expect_error("H210",
               {"cannot download small.tar.gz", "SHA-256 " + checksum,
                "put it at " + (folder / "cache/small.tar.gz").string()},
               [&] { locate(small, places()); });
}

TEST_F(Known, CanComeFromAMirror) {
  small.origin = "file:///nowhere/";
  EXPECT_EQ(locate(small, places(url)), folder / "cache/small-bin");
}

TEST_F(Known, AnArchiveWithoutItsFolderIsRefused) {
  small.folders = {"other-bin"};
  expect_error("H202", {"holds no folder 'other-bin'"}, [&] { locate(small, places()); });
  EXPECT_FALSE(fs::exists(folder / "cache/other-bin"));
}

TEST_F(Known, SeveralFilesMakeAFolder) {
  write_text(folder / "origin/train.bin", record(1));
  write_text(folder / "origin/test.bin", record(2));
  std::string train = checksum_of(folder / "origin/train.bin");
  std::string test = checksum_of(folder / "origin/test.bin");
  KnownDataset pair{
      "pair", url, "pair-files", {{"train.bin", 3073, train}, {"test.bin", 3073, test}}, {"pair"}};
  fs::path located = locate(pair, places());
  EXPECT_EQ(located, folder / "cache/pair-files");
  EXPECT_EQ(read_dataset({.path = located}).samples(), 1);
}

TEST_F(Known, NamesAreUniqueAndNearOnesAreOffered) {
  std::vector<std::string> names;
  for (const KnownDataset& known : known_datasets()) names.emplace_back(known.name);
  EXPECT_EQ(names, (std::vector<std::string>{"cifar10", "cifar100", "mnist", "fashion_mnist"}));
  expect_error("H201", {"'cifar1O'", "did you mean 'cifar10'?", "known names: cifar10, cifar100"},
               [&] { load_dataset({.path = "cifar1O"}, places()); });
}

TEST_F(Known, NamesAreLoadedFromFoldersOfTheUser) {
  fs::create_directories(folder / "mine/cifar10");
  write_text(folder / "mine/cifar10/test_batch.bin", record(4));
  Dataset data = load_dataset({.path = "cifar10", .part = Part::test}, places());
  EXPECT_EQ(data.samples(), 1);
  EXPECT_EQ(data.name, "cifar10:test");
  EXPECT_EQ(load_dataset({.path = folder / "mine/cifar10", .part = Part::test}, {}).samples(), 1);
}

}  // namespace
}  // namespace hornbeam
