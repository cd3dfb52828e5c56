#include "compile/pipeline.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

Graph small_graph() {
  Builder build;
  Expr x = build.input("x", {DType::float32, {4}});
  build.output("y", softmax(x * 1, 0));
  return build.finish();
}

bool claims_nothing(const Node&, const Types&) { return false; }

Graph same(const Graph& graph) { return graph; }

std::string code_of(const CompileOptions& options, std::span<const Pass> passes) {
  try {
    run_passes(small_graph(), passes, options);
    return "none";
  } catch (const Error& error) {
    return std::string(error.code().name) + " " + error.parts().message;
  }
}

TEST(Pipeline, RecordsAndDumpsEveryPassThatRan) {
  std::vector<std::string> dumped;
  CompileOptions options{.disabled_passes = {"simplify"},
                         .dump = [&](std::string_view pass, const Graph& graph) {
                           dumped.push_back(std::string(pass));
                           EXPECT_FALSE(graph.nodes().empty());
                         }};
  PipelineResult result =
      run_passes(small_graph(), neutral_passes(options, claims_nothing), options);
  EXPECT_EQ(dumped, (std::vector<std::string>{"data_parallel", "expand"}));
  ASSERT_EQ(result.passes.size(), 2u);
  EXPECT_EQ(result.passes[1].name, "expand");
  EXPECT_EQ(result.passes[1].nodes, result.graph.nodes().size());
  EXPECT_GT(result.passes[1].nodes, result.passes[0].nodes);
}

TEST(Pipeline, RefusesSwitchesItDoesNotHave) {
  std::vector<Pass> passes = neutral_passes({}, claims_nothing);
  EXPECT_EQ(code_of({.disabled_passes = {"simplfy"}}, passes),
            "H302 there is no compiler pass 'simplfy'");
  EXPECT_EQ(code_of({.disabled_passes = {"expand"}}, passes),
            "H302 the compiler pass 'expand' cannot be switched off");
}

// A pass that renames a state output leaves it without its input.
Graph broken(const Graph&) {
  Builder build;
  Expr x = build.input("x", {DType::float32, {4}});
  build.output("w", x, Role::state);
  return build.finish();
}

TEST(Pipeline, VerifiesWhatEveryPassMade) {
  std::vector<Pass> passes{{"same", same}, {"broken", broken}};
  try {
    run_passes(small_graph(), passes, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code().name, "H702");
    EXPECT_EQ(error.parts().place, "after the pass broken");
  }
  EXPECT_EQ(run_passes(small_graph(), passes, {.verify = false}).passes.size(), 2u);
}

}  // namespace
}  // namespace hornbeam
