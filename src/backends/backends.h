// The one list of backends.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/backend.h"

namespace hornbeam {

struct BackendOptions {
  int threads = 1;
  std::string isa = {};  // the instruction set of the CPU backend; empty for the best there is
};

struct BackendEntry {
  std::string_view name;
  std::unique_ptr<Backend> (*make)(const BackendOptions& options);
};

std::span<const BackendEntry> all_backends();

// Throws H302 for a name that is not in the list.
std::unique_ptr<Backend> make_backend(std::string_view name, const BackendOptions& options);

}  // namespace hornbeam
