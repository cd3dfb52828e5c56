#include "backends/cpu/cpu_passes.h"

#include "backends/cpu/tile_lowering.h"
#include "backends/cpu/tile_views.h"
#include "compile/fuse.h"
#include "compile/fused.h"
#include "compile/layout.h"
#include "compile/pooling.h"
#include "compile/recompute.h"

namespace hornbeam {

std::vector<Pass> cpu_passes(const CompileOptions& options, const CpuInfo& cpu) {
  // A composite is claimed when a kernel takes it; else its expansion has better ones.
  auto claims = [cpu](const Node& node, const Types& operands) {
    return choose_kernel({node, operands}, cpu).name != "reference";
  };
  auto pooling = [](const Graph& graph) { return pooling_as_arithmetic(graph, shortest_run); };
  auto fuse_chains = [](const Graph& graph) { return fuse(graph, {.takes = tiles_take}); };
  auto recompute_fused = [](const Graph& graph) {
    return recompute(graph, {.is_cheap = [](const Node& node) { return node.op == &fused_op; }});
  };
  return {simplify_pass(),           data_parallel_pass(options.replicas),
          {"layout", channels_last}, expand_pass(claims),
          {"pooling", pooling},      simplify_pass(),
          {"fuse", fuse_chains},     {"recompute", recompute_fused}};
}

}  // namespace hornbeam
