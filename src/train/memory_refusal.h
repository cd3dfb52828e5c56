// What to say when the plan of a step is above the limit.
#pragma once

#include <string>

#include "runtime/memory_plan.h"

namespace hornbeam {

struct MemoryRefusal {
  std::string message;  // what is needed, and of what
  std::string help;     // what to change, with numbers
};

// `batch`: of all replicas.
MemoryRefusal memory_refusal(const MemoryPlan& plan, int64_t limit, int64_t batch);

}  // namespace hornbeam
