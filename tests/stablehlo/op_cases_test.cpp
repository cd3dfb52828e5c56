// Every case of every op is lowered with its meaning kept, printed as StableHLO and verified.
#include <gtest/gtest.h>

#include <set>

#include "compile/lower.h"
#include "ir/interpret.h"
#include "ops/all.h"
#include "ops/cases/op_case.h"
#include "stablehlo/print.h"
#include "stablehlo/verify.h"

namespace hornbeam {
namespace {

using namespace op_cases;

Graph lowered(const Graph& graph) { return run_passes(graph, stablehlo_passes({}), {}).graph; }

void expect_verified(const Graph& graph) {
  std::string text = print_stablehlo(lowered(graph));
  EXPECT_NO_THROW(verify_stablehlo(text)) << text;
}

template <class Check>
void each_case(Check check) {
  for (const Family& family : families())
    for (const OpCase& op_case : family.cases) {
      SCOPED_TRACE(std::string(family.name) + "/" + std::string(op_case.name));
      Golden golden = golden_of(family, op_case);
      check(op_case, golden, types_of(golden.inputs));
    }
}

TEST(StablehloOfCases, Verifies) {
  each_case([](const OpCase& op_case, const Golden& golden, const Types& types) {
    expect_verified(result_graph(op_case, types));
    if (golden.has_gradients()) expect_verified(gradient_graph(op_case, golden, types));
  });
}

TEST(StablehloOfCases, HasTheExpectedNumbersWhenLowered) {
  each_case([](const OpCase& op_case, const Golden& golden, const Types& types) {
    std::vector<Tensor> results = interpret(lowered(result_graph(op_case, types)), golden.inputs);
    for (size_t i = 0; i < results.size(); ++i)
      EXPECT_LE(error(results[i], golden.results[i], op_case.relative, op_case.absolute), 1);
  });
}

TEST(StablehloOfCases, IsThereForEveryCoreOp) {
  std::set<const OpDef*> printed;
  each_case([&](const OpCase& op_case, const Golden& golden, const Types& types) {
    std::vector<Graph> graphs{lowered(result_graph(op_case, types))};
    if (golden.has_gradients()) graphs.push_back(lowered(gradient_graph(op_case, golden, types)));
    for (const Graph& graph : graphs)
      for (const Node& node : graph.nodes()) printed.insert(node.op);
  });
  // What the passes leave nothing of; print_test.cpp prints the two of replicas.
  const std::set<const OpDef*> gone{&random_bits_op, &scan_op, &all_reduce_op, &replica_id_op};
  for (const OpDef* op : all_ops()) {
    const bool expected = op->expand == nullptr && !gone.contains(op);
    EXPECT_TRUE(!expected || printed.contains(op)) << op->name << " is not printed by any case";
  }
}

}  // namespace
}  // namespace hornbeam
