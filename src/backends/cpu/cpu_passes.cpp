#include "backends/cpu/cpu_passes.h"

#include "backends/cpu/tile_lowering.h"
#include "compile/fuse.h"
#include "compile/layout.h"

namespace hornbeam {

std::vector<Pass> cpu_passes(const CompileOptions& options, const CpuInfo& cpu) {
  // A composite is claimed when a kernel takes it; else its expansion has better ones.
  auto claims = [cpu](const Node& node, const Types& operands) {
    return choose_kernel({node, operands}, cpu).name != "reference";
  };
  auto fuse_chains = [](const Graph& graph) { return fuse(graph, {.takes = tiles_take}); };
  return {simplify_pass(),           data_parallel_pass(options.replicas),
          {"layout", channels_last}, expand_pass(claims),
          simplify_pass(),           {"fuse", fuse_chains}};
}

}  // namespace hornbeam
