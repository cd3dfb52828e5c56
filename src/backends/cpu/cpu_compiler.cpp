#include "backends/cpu/cpu_compiler.h"

#include <algorithm>

#include "backends/cpu/tile_lowering.h"
#include "backends/cpu/tile_views.h"
#include "compile/fuse.h"
#include "compile/fused.h"
#include "compile/layout.h"
#include "compile/microbatch.h"
#include "compile/pooling.h"
#include "compile/recompute.h"
#include "compile/sample_products.h"
#include "compile/widen.h"
#include "ops/ops.h"

namespace hornbeam {

namespace {

// What is fused with others takes less than its own way through memory.
double predicted_seconds(const Node& node, const Types& operands, const CpuInfo& cpu) {
  constexpr double fused_share = 0.5;
  if (node.op->op_class == OpClass::other && node.op != &broadcast_in_dim_op)
    return choose_kernel({node, operands}, cpu).plan.cost.seconds;
  return fused_share * static_cast<double>(node.results[0].bytes()) /
         common_machine::bytes_a_second;
}

Graph in_microbatches(const Graph& graph, MicrobatchRequest request, Microbatches& chosen,
                      const CpuInfo& cpu) {
  if (request.samples == 0) return graph;
  MicrobatchStages stages(graph);
  const int64_t parts = stages.samples() / request.samples;
  auto seconds = [&](uint32_t number) {
    const auto [node, operands] = stages.part(number, request.samples);
    return static_cast<double>(parts) * predicted_seconds(node, operands, cpu);
  };
  KeepRules rules{.seconds = seconds,
                  .seconds_per_byte = 2 / common_machine::bytes_a_second,
                  .most_bytes = request.most_kept};
  Kept kept = choose_kept(stages, rules);
  chosen = {.samples = request.samples,
            .parts = parts,
            .kept_bytes = kept.most_bytes,
            .repeated = kept.repeated};
  return microbatch(stages, request.samples, kept.values);
}

// A composite is claimed when a kernel takes it; else its expansion has better ones.
Claims kernels_claim(const CpuInfo& cpu) {
  return [cpu](const Node& node, const Types& operands) {
    return choose_kernel({node, operands}, cpu).name != "reference";
  };
}

std::vector<Pass> passes_before_cut(const CpuInfo& cpu) {
  auto pooling = [](const Graph& graph) { return pooling_as_arithmetic(graph, shortest_run); };
  return {simplify_pass(),
          {"layout", channels_last},
          expand_pass(claims_when_widened(kernels_claim(cpu))),
          {"widen", widen_bfloat16, true},
          {"pooling", pooling},
          simplify_pass()};
}

// `chosen`: what became of the request.
std::vector<Pass> passes_from_cut(int replicas, const CpuInfo& cpu, MicrobatchRequest request,
                                  Microbatches& chosen) {
  auto cut = [=, &chosen](const Graph& graph) {
    return in_microbatches(graph, request, chosen, cpu);
  };
  auto sample = [claims = kernels_claim(cpu)](const Graph& graph) {
    return sample_products(graph, claims);
  };
  auto fuse_chains = [](const Graph& graph) { return fuse(graph, {.takes = tiles_take}); };
  auto recompute_fused = [](const Graph& graph) {
    return recompute(graph, {.is_cheap = [](const Node& node) { return node.op == &fused_op; }});
  };
  return {{"microbatch", cut},   data_parallel_pass(replicas),
          simplify_pass(),       {"sample_products", sample},
          {"fuse", fuse_chains}, {"recompute", recompute_fused}};
}

}  // namespace

CpuCompiler::CpuCompiler(const Graph& graph, const CompileOptions& options,
                         std::shared_ptr<ThreadPool> threads, std::shared_ptr<Memory> arena)
    : options_(options),
      threads_(std::move(threads)),
      arena_(std::move(arena)),
      samples_(samples_of(graph)) {
  Microbatches none;
  std::vector<Pass> all = passes_before_cut(info(1));
  const size_t before_cut = all.size();
  std::ranges::move(passes_from_cut(options.replicas, info(1), {}, none), std::back_inserter(all));
  require_known_switches(all, options);
  uncut_ = run_more_passes({graph, {}}, std::span(all).first(before_cut), options);
}

CpuInfo CpuCompiler::info(int threads) const {
  return {.threads = threads, .matmul_precision = options_.matmul_precision};
}

CutGraph CpuCompiler::cut(MicrobatchRequest request) const {
  Microbatches chosen;
  PipelineResult compiled = run_more_passes(
      uncut_, passes_from_cut(options_.replicas, info(1), request, chosen), options_);
  return {std::make_shared<const Graph>(std::move(compiled.graph)), std::move(compiled.passes),
          std::move(chosen)};
}

std::unique_ptr<CpuExecutable> CpuCompiler::executable(CutGraph graph, int threads) const {
  return std::make_unique<CpuExecutable>(std::move(graph.graph), std::move(graph.passes),
                                         info(threads), threads_, arena_,
                                         std::move(graph.microbatches), options_.staged_bytes);
}

}  // namespace hornbeam
