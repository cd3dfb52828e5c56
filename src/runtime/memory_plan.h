// What a compiled graph needs in memory, known before it runs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/type.h"

namespace hornbeam {

// `program` is what describes the step: kernels, places, names.
enum class MemoryUse {
  state,
  activations,
  gradients,
  optimizer,
  workspace,
  staged_input,
  results,
  program
};
inline constexpr size_t memory_uses = 8;
std::string_view name_of(MemoryUse use);  // "state", …, "staged_input", "results", "program"

struct PlannedTensor {
  std::string name;  // the layer or weight and the op
  Type type;
  int64_t bytes = 0;
  MemoryUse use = MemoryUse::activations;
};

// How a batch that would not fit otherwise is run: in parts, one after another.
struct Microbatches {
  int64_t samples = 0;                // of each replica at a time; 0 when the batch is not cut
  int64_t parts = 1;                  // of the batch of a replica
  double slowdown = 1;                // predicted time of a step, that of the uncut batch being 1
  int64_t kept_bytes = 0;             // kept between the parts, at most
  std::vector<std::string> repeated;  // layers that compute their products more than once
};

// The threads of a step: as many of those asked for as have room for their workspaces.
struct PlannedThreads {
  int asked = 1, used = 1;
  int64_t missing_bytes = 0;  // of those that all would need, when fewer fit
};

// Where a batch starts to be cut: a part of the limit is left for the workspaces of more threads
// than one, because the cut, and with it the rounding of sums, does not depend on their number.
inline int64_t without_reserve(int64_t limit) { return limit / 16 * 15; }

struct MemoryPlan {
  // The most bytes that are needed at one moment: everything below with reuse taken into account.
  int64_t peak_bytes = 0;
  int64_t state_bytes = 0;  // the part that lives on between runs (buffers of role state)
  int64_t arena_bytes = 0;  // the part in the executable's one arena
  std::array<int64_t, memory_uses> peak_by_use{};  // the live bytes at the peak, by use
  std::vector<PlannedTensor> largest;              // at most 20, largest first
  Microbatches microbatches;
  PlannedThreads threads;
};

}  // namespace hornbeam
