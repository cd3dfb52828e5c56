// Runs passes over a graph. Every pass gets from here its switch, its timer, its dump and the
// verification of what it made; no pass has its own.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/backend.h"

namespace hornbeam {

struct Pass {
  std::string_view name;
  std::function<Graph(const Graph&)> apply;
  bool required = false;  // without it the graph would mean something else or could not run
};

struct PipelineResult {
  Graph graph;
  std::vector<PassRecord> passes;  // those that ran
};

// Applies `passes` in order, without those that `options` switches off. Throws H302 when a required
// or unknown pass is to be switched off, and H702 naming the pass whose graph is malformed.
PipelineResult run_passes(const Graph& graph, std::span<const Pass> passes,
                          const CompileOptions& options);

// The two steps of it, for passes that run again and again on what others made once.
void require_known_switches(std::span<const Pass> passes, const CompileOptions& options);
PipelineResult run_more_passes(PipelineResult before, std::span<const Pass> passes,
                               const CompileOptions& options);

// Whether a backend does this composite whole, for operands of these types.
using Claims = std::function<bool(const Node& node, const Types& operands)>;

Pass simplify_pass();
// Of all replicas, each device has its share.
Pass data_parallel_pass(int replicas, int devices = 1);
Pass expand_pass(Claims claims);

// What a backend without passes of its own needs: simplify, data_parallel, expand, simplify.
std::vector<Pass> neutral_passes(const CompileOptions& options, Claims claims, int devices = 1);

}  // namespace hornbeam
