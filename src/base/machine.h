// What the machine allows this process.
#pragma once

#include <cstdint>

namespace hornbeam {

// Bytes that this process may use: physical memory or the control group's ceiling, whichever is
// smaller.
uint64_t allowed_memory();

}  // namespace hornbeam
