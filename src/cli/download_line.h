// What people see while data is fetched: one line, redrawn in place on a terminal; elsewhere a line
// at each tenth.
#pragma once

#include <cstdint>
#include <functional>

namespace hornbeam {

// For DataPlaces::progress; always lets the download go on. Writes to standard error.
std::function<bool(uint64_t done, uint64_t total)> download_line();

}  // namespace hornbeam
