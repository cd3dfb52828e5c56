// What the machine allows this process.
#pragma once

#include <cstdint>
#include <filesystem>

namespace hornbeam {

// Bytes that this process may use, whatever others use: physical memory or the ceiling of a control
// group.
uint64_t allowed_memory(const std::filesystem::path& root = "/");

// Bytes that are free for this process: what the machine can give without swapping, what its
// control groups (versions 1 and 2, with those around them) leave, and what `ulimit -v` leaves
// without the stacks of threads to come.
// `root` is where /proc and /sys are looked for.
uint64_t free_memory(const std::filesystem::path& root = "/");

// Memory that was freed in small pieces goes back to the system.
void give_free_memory_back();

}  // namespace hornbeam
