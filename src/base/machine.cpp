#include "base/machine.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace hornbeam {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t unlimited = UINT64_MAX;

// The number in a file; no limit is written as "max" or as a huge number.
uint64_t number_in(const fs::path& path, uint64_t otherwise) {
  std::ifstream file(path);
  uint64_t number = 0;
  return file >> number ? number : otherwise;
}

// The number behind a word in a file of lines "word number".
uint64_t entry_in(const fs::path& path, const std::string& word, uint64_t otherwise) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream parts(line);
    std::string first;
    uint64_t number = 0;
    if (parts >> first >> number && first == word) return number;
  }
  return otherwise;
}

uint64_t difference(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

uint64_t physical_memory() {
  return static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(::sysconf(_SC_PAGE_SIZE));
}

// The files of a version of control groups, and the word for cached files that can be given up.
struct GroupFiles {
  const char *folder, *limit, *usage, *reclaimable;

  uint64_t limit_of(const fs::path& group) const { return number_in(group / limit, unlimited); }
  uint64_t free_in(const fs::path& group) const {
    const uint64_t ceiling = limit_of(group);
    if (ceiling == unlimited) return unlimited;
    const uint64_t cached = entry_in(group / "memory.stat", reclaimable, 0);
    return difference(ceiling, difference(number_in(group / usage, 0), cached));
  }
};
constexpr GroupFiles version_1{"sys/fs/cgroup/memory", "memory.limit_in_bytes",
                               "memory.usage_in_bytes", "total_inactive_file"};
constexpr GroupFiles version_2{"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};

struct Group {
  const GroupFiles& files;
  fs::path folder;
};

// Lines as "0::/a/b" (version 2) and "4:memory:/a/b" (version 1): the group and those around it.
std::vector<Group> control_groups(const fs::path& root) {
  std::vector<Group> groups{{version_1, root / version_1.folder},
                            {version_2, root / version_2.folder}};
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers != ",," && controllers.find(",memory,") == std::string::npos) continue;
    const GroupFiles& files = controllers == ",," ? version_2 : version_1;
    fs::path folder = root / files.folder;
    for (const fs::path& part : fs::path(line.substr(second + 1)).relative_path())
      groups.push_back({files, folder /= part});
  }
  return groups;
}

// What a process maps beside its step, after it has asked: stacks of threads that fill batches, the
// heap of the compiler.
constexpr uint64_t mapped_beside_a_step = uint64_t{32} << 20;

uint64_t free_address_space() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  const uint64_t pages = number_in("/proc/self/statm", 0);
  const uint64_t mapped = pages * static_cast<uint64_t>(::sysconf(_SC_PAGE_SIZE));
  return difference(limit.rlim_cur, mapped + mapped_beside_a_step);
}

}  // namespace

uint64_t allowed_memory(const fs::path& root) {
  uint64_t allowed = physical_memory();
  for (const Group& group : control_groups(root))
    allowed = std::min(allowed, group.files.limit_of(group.folder));
  return allowed;
}

uint64_t free_memory(const fs::path& root) {
  const uint64_t kibibytes = entry_in(root / "proc/meminfo", "MemAvailable:", unlimited);
  uint64_t free = kibibytes == unlimited ? physical_memory() : kibibytes * 1024;
  for (const Group& group : control_groups(root))
    free = std::min(free, group.files.free_in(group.folder));
  return std::min(free, free_address_space());
}

void give_free_memory_back() { ::malloc_trim(0); }

}  // namespace hornbeam
