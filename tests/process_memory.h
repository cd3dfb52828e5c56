// What the system says of the memory of this process.
#pragma once

#include <fstream>
#include <string>

namespace hornbeam {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;  // by a library that keeps memory of its own
#else
inline constexpr bool sanitized = false;
#endif

// From here on VmHWM is the most there was since.
inline void forget_the_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

// A line of /proc/self/status, in bytes: "VmRSS" is what is resident, "VmHWM" the most that ever
// was, "RssAnon" what is resident without files: pages of the program come when they are first
// used.
inline double status_bytes(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":")) return 1024 * std::stod(line.substr(name.size() + 1));
  return 0;
}

}  // namespace hornbeam
