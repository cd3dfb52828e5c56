// What the machine leaves for this process, read from folders made like /proc and /sys.
#include "base/machine.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "temporary_folder.h"

namespace hornbeam {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t MiB = 1 << 20;

class FreeMemory : public testing::Test {
 protected:
  FreeMemory() {
    write("proc/meminfo", "MemTotal: 2097152 kB\nMemFree: 10 kB\nMemAvailable: 1048576 kB\n");
  }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    write_text(root_ / path, text);
  }
  uint64_t free() const { return free_memory(root_.path()); }

  TemporaryFolder root_;
};

TEST_F(FreeMemory, IsWhatTheMachineHasWithoutAControlGroup) { EXPECT_EQ(free(), 1024 * MiB); }

TEST_F(FreeMemory, IsWhatAGroupOfVersion2Leaves) {
  write("proc/self/cgroup", "0::/jobs/one\n");
  write("sys/fs/cgroup/jobs/one/memory.max", "max\n");
  write("sys/fs/cgroup/jobs/memory.max", "629145600\n");      // 600 MiB
  write("sys/fs/cgroup/jobs/memory.current", "314572800\n");  // 300 MiB, a third of it cached files
  write("sys/fs/cgroup/jobs/memory.stat", "anon 7\ninactive_file 104857600\nfile 9\n");
  EXPECT_EQ(free(), 400 * MiB);
  write("sys/fs/cgroup/jobs/one/memory.max", "104857600\n");
  EXPECT_EQ(free(), 100 * MiB);
  EXPECT_EQ(allowed_memory(root_.path()), 100 * MiB);
}

TEST_F(FreeMemory, IsWhatAGroupOfVersion1Leaves) {
  write("proc/self/cgroup", "11:cpu,cpuacct:/other\n4:memory:/docker/abc\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "209715200\n");
  write("sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "52428800\n");
  write("sys/fs/cgroup/memory/docker/abc/memory.stat", "total_inactive_file 10485760\n");
  EXPECT_EQ(free(), (200 - 50 + 10) * MiB);
}

// In a container the group's own files stand at the top.
TEST_F(FreeMemory, IsWhatTheTopGroupLeaves) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "104857600");
  write("sys/fs/cgroup/memory.current", "209715200");  // more than there may be: nothing is left
  EXPECT_EQ(free(), 0u);
}

TEST_F(FreeMemory, OfThisMachineIsNoMoreThanItMayUse) {
  EXPECT_GT(free_memory(), 0u);
  EXPECT_LE(free_memory(), allowed_memory());
}

}  // namespace
}  // namespace hornbeam
