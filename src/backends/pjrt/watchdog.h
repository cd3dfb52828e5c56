// Keeps a plugin that hangs, dies or answers nonsense from taking the program down.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>

namespace hornbeam::pjrt {

// How long a device may take for one answer: ten minutes, or $HORNBEAM_PJRT_PATIENCE seconds.
std::chrono::milliseconds patience();

// Does `contact`, which loads the plugin and asks it for its devices, in a process of its own,
// where it may do what it likes. Throws the error that it threw; H603 when it dies, with the end of
// what it wrote, or takes longer than a minute (or patience(), when that is less). To be called
// before this process has loaded the plugin.
void first_contact(const std::filesystem::path& plugin, const std::function<void()>& contact);

}  // namespace hornbeam::pjrt
