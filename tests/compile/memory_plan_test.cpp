#include "compile/memory_plan.h"

#include <gtest/gtest.h>

#include <chrono>

#include "compile/arena.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

std::vector<NodeMemory> no_needs(const Graph& graph) {
  return std::vector<NodeMemory>(graph.nodes().size());
}

TEST(Pack, BlocksThatLiveAtOnceDoNotOverlap) {
  std::vector<LiveBlock> blocks;
  for (int64_t i = 0; i < 300; ++i)
    blocks.push_back({(i * 7919) % 1000, (i * 31) % 200, (i * 31) % 200 + (i * 17) % 23});
  Packing packing = pack(blocks);
  for (size_t a = 0; a < blocks.size(); ++a) {
    EXPECT_EQ(packing.offsets[a] % 64, 0);
    EXPECT_LE(packing.offsets[a] + blocks[a].bytes, packing.bytes);
    for (size_t b = 0; b < a; ++b) {
      bool at_once = blocks[a].begin <= blocks[b].end && blocks[b].begin <= blocks[a].end;
      bool apart = packing.offsets[a] + blocks[a].bytes <= packing.offsets[b] ||
                   packing.offsets[b] + blocks[b].bytes <= packing.offsets[a];
      EXPECT_TRUE(!at_once || apart || blocks[a].bytes == 0 || blocks[b].bytes == 0);
    }
  }
}

// state 64 B; staged 256 B; x1 and x2 live together (512 B), the sum is 4 B in 64.
TEST(MemoryPlan, CountsByUseAtThePeak) {
  Builder build;
  Expr w = build.input("w", {DType::float32, {16}}, Role::state);
  Expr x = build.input("x", {DType::float32, {64}});
  build.set_scope("layer");
  Expr x1 = reverse(x, {0});
  build.set_scope("gradient/layer");
  Expr x2 = reverse(x1 + x1, {0});
  build.output("sum", sum_all(x2), Role::result);
  build.output("w", w, Role::state);
  Graph graph = build.finish();
  MemoryPlan plan = plan_memory(graph, no_needs(graph)).summary;
  auto used = [&](MemoryUse use) { return plan.peak_by_use[static_cast<size_t>(use)]; };
  EXPECT_EQ(plan.state_bytes, 64);
  EXPECT_EQ(plan.arena_bytes, 512);
  EXPECT_EQ(plan.peak_bytes, 64 + 256 + 512);
  EXPECT_EQ(used(MemoryUse::state), 64);
  EXPECT_EQ(used(MemoryUse::staged_input), 256);
  EXPECT_EQ(used(MemoryUse::activations) + used(MemoryUse::gradients), 512);
  EXPECT_EQ(plan.largest.front().bytes, 256);
  EXPECT_EQ(plan.largest.front().name, "x");
}

// Case B51: a tensor of 4*256*256*100*100 elements.
TEST(MemoryPlan, CountsBeyond32Bits) {
  Builder build;
  Expr x = build.input("x", {DType::float32, {4, 256, 256, 100, 100}});
  build.output("y", sum_all(tanh(x)), Role::result);
  Graph graph = build.finish();
  MemoryPlan plan = plan_memory(graph, no_needs(graph)).summary;
  EXPECT_EQ(plan.largest.front().bytes, 10'485'760'000);
  EXPECT_EQ(plan.peak_bytes, 2 * 10'485'760'000 + 64);
}

TEST(MemoryPlan, IsFastForLargeGraphs) {
  Builder build;
  Expr x = build.input("x", {DType::float32, {64}});
  std::vector<Expr> kept;
  for (int i = 0; i < 10000; ++i) {
    x = reverse(tanh(x), {0});
    if (i % 10 == 0) kept.push_back(x);
  }
  for (Expr value : kept) x = x + value;
  build.output("y", x, Role::result);
  Graph graph = build.finish();
  ASSERT_GT(graph.nodes().size(), 20000u);
  auto start = std::chrono::steady_clock::now();
  MemoryPlan plan = plan_memory(graph, no_needs(graph)).summary;
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(plan.arena_bytes, 1002 * 256);
  EXPECT_LT(seconds.count(), 5) << "expected well under a second in a release build";
  RecordProperty("seconds", std::to_string(seconds.count()));
}

}  // namespace
}  // namespace hornbeam
