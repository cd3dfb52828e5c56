#include "runtime/memory_plan.h"

namespace hornbeam {

std::string_view name_of(MemoryUse use) {
  constexpr std::array<std::string_view, memory_uses> names{
      "state",     "activations",  "gradients", "optimizer",
      "workspace", "staged_input", "results",   "program"};
  return names[static_cast<size_t>(use)];
}

}  // namespace hornbeam
