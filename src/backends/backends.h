// The one list of backends.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/backend.h"

namespace hornbeam {

struct BackendOptions {
  int threads = 1;
  std::string isa = {};              // the instruction set of the CPU backend; empty for the best
  std::optional<int> replicas = {};  // of the steps to come; else one for each device
  // Of plugins: settings as NAME=VALUE, and the folder that keeps compiled programs (none: empty).
  std::vector<std::string> plugin_options = {};
  std::filesystem::path program_cache = {};
};

// Those that are part of the program.
struct BackendEntry {
  std::string_view name;
  std::unique_ptr<Backend> (*make)(const BackendOptions& options);
};

std::span<const BackendEntry> all_backends();

// `name` is one of the list, that of a kind of plugin ("cpu-xla", "cuda", "tpu"), or "pjrt:" and
// the path of a plugin. "#4" behind a plugin asks for so many of its devices. Throws H302 for
// another name, and H304, H601 to H604 for a plugin that cannot be used
// (backends/pjrt/pjrt_backend.h).
std::unique_ptr<Backend> make_backend(std::string_view name, const BackendOptions& options);

}  // namespace hornbeam
