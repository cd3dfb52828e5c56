#include "backends/cpu/cpu_passes.h"

#include <algorithm>

#include "backends/cpu/tile_lowering.h"
#include "backends/cpu/tile_views.h"
#include "compile/fuse.h"
#include "compile/fused.h"
#include "compile/layout.h"
#include "compile/microbatch.h"
#include "compile/pooling.h"
#include "compile/recompute.h"
#include "ops/ops.h"

namespace hornbeam {

namespace {

// Of a common machine: only their ratio matters.
constexpr double operations_a_second = 8e10, bytes_a_second = 1e10;

// What is fused with others takes less than its own way through memory.
double predicted_seconds(const Graph& graph, const Node& node, const CpuInfo& cpu) {
  constexpr double fused_share = 0.5;
  Types operands;
  for (Value operand : node.operands) operands.push_back(graph.type(operand));
  KernelRequest request{node, operands};
  if (node.op->op_class != OpClass::other || node.op == &broadcast_in_dim_op)
    return fused_share * static_cast<double>(node.results[0].bytes()) / bytes_a_second;
  double operations = choose_kernel(request, cpu).plan.cost.operations;
  return std::max(operations / operations_a_second, bytes_once(request) / bytes_a_second);
}

Graph in_microbatches(const Graph& graph, MicrobatchRequest& request, const CpuInfo& cpu) {
  if (request.samples == 0) return graph;
  MicrobatchStages stages(graph);
  KeepRules rules{.seconds = [&](const Node& node) { return predicted_seconds(graph, node, cpu); },
                  .seconds_per_byte = 2 / bytes_a_second,
                  .most_bytes = request.most_kept};
  Kept kept = choose_kept(stages, rules);
  request.chosen = {.samples = request.samples,
                    .parts = stages.samples() / request.samples,
                    .slowdown = kept.slowdown,
                    .kept_bytes = kept.most_bytes,
                    .repeated = kept.repeated};
  return microbatch(stages, request.samples, kept.values);
}

}  // namespace

std::vector<Pass> cpu_passes(const CompileOptions& options, const CpuInfo& cpu,
                             MicrobatchRequest& microbatches) {
  // A composite is claimed when a kernel takes it; else its expansion has better ones.
  auto claims = [cpu](const Node& node, const Types& operands) {
    return choose_kernel({node, operands}, cpu).name != "reference";
  };
  auto pooling = [](const Graph& graph) { return pooling_as_arithmetic(graph, shortest_run); };
  auto fuse_chains = [](const Graph& graph) { return fuse(graph, {.takes = tiles_take}); };
  auto recompute_fused = [](const Graph& graph) {
    return recompute(graph, {.is_cheap = [](const Node& node) { return node.op == &fused_op; }});
  };
  auto cut = [cpu, &microbatches](const Graph& graph) {
    return in_microbatches(graph, microbatches, cpu);
  };
  return {simplify_pass(),
          {"layout", channels_last},
          expand_pass(claims),
          {"pooling", pooling},
          simplify_pass(),
          {"microbatch", cut},
          data_parallel_pass(options.replicas),
          simplify_pass(),
          {"fuse", fuse_chains},
          {"recompute", recompute_fused}};
}

}  // namespace hornbeam
