// The memory_plan step: where every value of a graph lives, decided before it runs.
//
// Values live in the buffers of the graph's inputs, in the tensors of its constants or in one
// arena. Views share the memory of their operand; a result takes over the memory of an operand that
// dies where its kernel allows; new state is written over the old where the old is dead by then.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "runtime/memory_plan.h"

namespace hornbeam {

// What the chosen kernel of a node asks for.
struct Overwrite {
  uint32_t result = 0;
  uint32_t operand = 0;
};
struct NodeMemory {
  int64_t workspace_bytes = 0;           // while the node runs
  std::vector<Overwrite> may_overwrite;  // these results may have the very memory of these operands
};

struct Place {
  enum class Kind { arena, input, constant };
  Kind kind = Kind::arena;
  uint32_t number = 0;  // of the input whose buffer it is, or of the node of the constant
  int64_t offset = 0;   // bytes

  bool operator==(const Place&) const = default;
};

struct PlannedCopy {
  Place from, to;
  int64_t bytes = 0;
};

struct StoragePlan {
  std::vector<std::vector<Place>> values;  // by node and result
  std::vector<int64_t> workspaces;         // arena offsets, by node
  std::vector<Place> outputs;              // by output of the graph
  std::vector<PlannedCopy> copies;         // after the last node, in this order
  MemoryPlan summary;
};

// `memory` has an entry for each node. Allocates nothing of what it plans.
StoragePlan plan_memory(const Graph& graph, std::span<const NodeMemory> memory);

// The offset in bytes into its operand's memory of a node that computes nothing: a reshape, a
// barrier or a slice of adjoining elements. Such a node needs no kernel.
std::optional<int64_t> view_offset(const Graph& graph, const Node& node);

// The plan as text: a line for each value, for tests and dumps.
std::string print(const Graph& graph, const StoragePlan& plan);

}  // namespace hornbeam
