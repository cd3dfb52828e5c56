#include "data/download.h"

#include "base/files.h"
#include "local_server.h"
#include "refusals.h"
#include "temporary_folder.h"

namespace hornbeam {
namespace {
namespace fs = std::filesystem;

// Published in FIPS 180-4 for "abc".
const std::string abc_sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const PublishedFile abc{"abc.bin", 3, abc_sha256};

TEST(Checksum, MatchesThePublishedValues) {
  TemporaryFolder folder;
  write_text(folder / "a", "abc");
  EXPECT_EQ(checksum_of(folder / "a"), abc_sha256);
  expect_error("H201", {"missing"}, [&] { checksum_of(folder / "missing"); });
  write_text(folder / "a", "abd");
  expect_error("H202", {"damaged or another file: its SHA-256 is a52d159f", "3 bytes", abc_sha256},
               [&] { check_published(abc, folder / "a"); });
}

// The file appears in a folder that is made for it.
void expect_download(const PublishedFile& published, const std::string& url,
                     const std::string& content) {
  TemporaryFolder folder;
  fs::path target = folder / "new/file";
  download(published, url, target, {});
  EXPECT_EQ(read_text(target), content);
}

void expect_failed_download(const std::string& code, const std::vector<std::string>& parts,
                            const PublishedFile& published, const std::string& url) {
  TemporaryFolder folder;
  expect_error(code, parts, [&] { download(published, url, folder / "file", {}); });
  EXPECT_TRUE(fs::is_empty(folder.path())) << "something was left behind";
}

TEST(Download, FetchesFilesAndPages) {
  TemporaryFolder folder;
  write_text(folder / "abc.bin", "abc");
  expect_download(abc, "file://" + (folder / "abc.bin").string(), "abc");
  LocalServer server({.content = "abc"});
  expect_download(abc, server.url() + "abc.bin", "abc");
  expect_download({"abc.bin", 0, abc_sha256}, server.url(), "abc");
}

TEST(Download, SaysWhatToPutWhereByHand) {
  std::string nobody;
  {
    LocalServer server({.content = "abc"});
    nobody = server.url() + "abc.bin";
  }
  expect_failed_download("H210",
                         {"cannot download abc.bin: ", nobody, "3 bytes, SHA-256 " + abc_sha256,
                          "fetch " + nobody + " elsewhere and put it at", "/file"},
                         abc, nobody);
  expect_failed_download("H210", {"cannot download abc.bin"}, abc, "file:///no/such/file");
  expect_failed_download("H210", {"cannot download abc.bin"}, abc, "ftp://127.0.0.1/abc.bin");
}

TEST(Download, LeavesNothingOfAWrongFile) {
  LocalServer other({.content = "abd"}), longer({.content = "abcd"}), empty({.content = ""});
  expect_failed_download("H202", {abc_sha256}, abc, other.url());
  expect_failed_download("H210", {"more than the file should have"}, abc, longer.url());
  expect_failed_download("H202", {"0 bytes"}, abc, empty.url());
}

TEST(Download, GoesOnWhereAConnectionBroke) {
  LocalServer server({.content = "abc", .break_after = {1, 1}});
  expect_download(abc, server.url(), "abc");
  server.stop();
  EXPECT_EQ(server.starts(), (std::vector<size_t>{0, 1, 2}));
}

TEST(Download, BeginsAgainWhereRangesAreRefused) {
  LocalServer server({.content = "abc", .break_after = {2}, .ranges = false});
  expect_download(abc, server.url(), "abc");
}

TEST(Download, GivesUpOnAConnectionThatKeepsBreaking) {
  LocalServer server({.content = "abc", .break_after = {0, 0, 0, 0, 0, 0, 0, 0}});
  expect_failed_download("H210", {"cannot download abc.bin"}, abc, server.url());
}

TEST(Download, ReportsProgressAndCanBeStopped) {
  TemporaryFolder folder;
  LocalServer server({.content = "abc"});
  uint64_t last = 0;
  download(abc, server.url(), folder / "a", [&](uint64_t done, uint64_t total) {
    EXPECT_EQ(total, 3u);
    last = done;
    return true;
  });
  EXPECT_EQ(last, 3u);
  auto stop = [](uint64_t, uint64_t) { return false; };
  expect_error("H130", {"abc.bin was interrupted"},
               [&] { download(abc, server.url(), folder / "b", stop); });
  auto fail = [](uint64_t, uint64_t) -> bool { throw std::runtime_error("from the callback"); };
  EXPECT_THROW(download(abc, server.url(), folder / "b", fail), std::runtime_error);
  EXPECT_FALSE(fs::exists(folder / "b"));
}

}  // namespace
}  // namespace hornbeam
