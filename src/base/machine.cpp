#include "base/machine.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace hornbeam {
namespace {

// The number in a file, or the most there is: no limit is written as "max" or as a huge number.
uint64_t limit_in(const char* path) {
  std::ifstream file(path);
  uint64_t bytes = 0;
  return file >> bytes ? bytes : UINT64_MAX;
}

uint64_t physical_memory() {
  return static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(::sysconf(_SC_PAGE_SIZE));
}

}  // namespace

uint64_t allowed_memory() {
  return std::min({physical_memory(), limit_in("/sys/fs/cgroup/memory.max"),
                   limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes")});
}

}  // namespace hornbeam
