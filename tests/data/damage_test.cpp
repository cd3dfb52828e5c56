// Files with one byte changed: read or refused with an Error, never anything else. Most valuable
// under the address and undefined-behaviour sanitizers.
#include <fstream>

#include "archives.h"
#include "base/files.h"
#include "data/readers.h"
#include "data/tar.h"
#include "refusals.h"
#include "temporary_folder.h"

namespace hornbeam {
namespace {
namespace fs = std::filesystem;

void write_plain(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary).write(content.data(), std::ssize(content));
}

template <class Read>
void damage_each_byte(const fs::path& path, Read&& read) {
  std::string whole = read_text(path);
  for (size_t i = 0; i < whole.size(); ++i)
    for (int change : {0x01, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      write_plain(path, damaged);
      try {
        read();
      } catch (const Error& error) {
        EXPECT_EQ(error.code().exit, Exit::input) << i << ": " << error.what();
      }
    }
}

TEST(Damage, OfIdxFiles) {
  for (std::string ending : {"", ".gz"}) {
    TemporaryFolder folder;
    std::string images{0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 'a', 'b'};
    std::string labels{0, 0, 8, 1, 0, 0, 0, 2, 3, 4};
    fs::path damaged = folder / ("train-images-idx3-ubyte" + ending);
    if (ending.empty())
      write_plain(damaged, images);
    else
      write_gzip(damaged, images);
    write_plain(folder / "train-labels-idx1-ubyte", labels);
    damage_each_byte(damaged, [&] { read_dataset({.path = folder.path()}); });
  }
}

TEST(Damage, OfTarArchives) {
  TemporaryFolder folder;
  for (bool compressed : {false, true}) {
    fs::path archive = folder / "a.tar.gz";
    std::string content = tar_entry("b/c", "", '5') + tar_end;
    if (compressed)
      write_gzip(archive, content);
    else
      write_plain(archive, content);
    damage_each_byte(archive, [&] {
      fs::create_directory(folder / "into");
      unpack_tar(archive, folder / "into");
      fs::remove_all(folder / "into");
    });
  }
}

TEST(Damage, OfNumpyFiles) {
  TemporaryFolder folder;
  for (std::string name : {"little_f4.npy", "stored.npz", "compressed.npz"}) {
    fs::path damaged = folder / name;
    fs::copy(fs::path(HORNBEAM_TESTS_FOLDER) / "formats/npy" / name, damaged);
    damage_each_byte(damaged, [&] { read_dataset({.path = damaged}); });
  }
}

}  // namespace
}  // namespace hornbeam
