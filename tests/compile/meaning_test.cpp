// A pass changes no value: the interpreter gives the same before and after it, on whole steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "compile/data_parallel.h"
#include "compile/expand.h"
#include "compile/fuse.h"
#include "compile/fused.h"
#include "compile/layout.h"
#include "compile/simplify.h"
#include "compile/training_graphs.h"
#include "ir/interpret.h"
#include "ir/verify.h"

namespace hornbeam {
namespace {

using testing_graphs::cnn_step;
using testing_graphs::distance;
using testing_graphs::inputs_for;
using testing_graphs::mlp_step;

Graph expand_all(const Graph& graph) {
  return expand(graph, [](const Node&, const Types&) { return false; });
}

Graph fuse_all(const Graph& graph) {
  return fuse(graph, {.takes = [](const Graph&, const Node& node) {
                return node.op->op_class == OpClass::elementwise ||
                       node.op == &broadcast_in_dim_op || node.op == &random_bits_op ||
                       (node.op == &constant_op && node.results[0].shape.rank() == 0);
              }});
}

struct Change {
  const char* name;
  Graph (*pass)(const Graph&);
};

class Meaning : public testing::TestWithParam<Change> {};

// To the bit: no pass may round differently.
void expect_same_bits(const Graph& before, const Graph& after) {
  verify(after);
  std::vector<Tensor> inputs = inputs_for(before, 3);
  std::vector<Tensor> expected = interpret(before, inputs), received = interpret(after, inputs);
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(identical(expected[i], received[i])) << before.outputs()[i].name;
}

TEST_P(Meaning, IsKept) {
  for (const Graph& graph : {mlp_step(4, 1), cnn_step(4, 1), cnn_step(4, 1, "channels_first")})
    expect_same_bits(graph, GetParam().pass(graph));
}

TEST_P(Meaning, IsKeptInSmallOps) {
  for (const Graph& graph : {mlp_step(4, 1), cnn_step(4, 1)}) {
    Graph small = expand_all(graph);
    expect_same_bits(small, GetParam().pass(small));
  }
}

INSTANTIATE_TEST_SUITE_P(Passes, Meaning,
                         testing::Values(Change{"simplify", simplify}, Change{"expand", expand_all},
                                         Change{"fuse", fuse_all}),
                         [](const auto& test) { return test.param.name; });

int count(const Graph& graph, const OpDef& op) {
  return static_cast<int>(std::count_if(graph.nodes().begin(), graph.nodes().end(),
                                        [&](const Node& node) { return node.op == &op; }));
}

// Not to the bit: sums over pictures run in another order. The input is turned once, the pictures
// before the dense layer are channels_last as the step wants them, and so is all of the gradient.
TEST(Layout, LeavesOneTransposeOfTheInput) {
  Graph before = simplify(cnn_step(4, 1, "channels_first"));
  Graph after = channels_last(before);
  verify(after);
  EXPECT_EQ(count(after, transpose_op), 1);
  std::vector<Tensor> inputs = inputs_for(before, 3);
  std::vector<Tensor> expected = interpret(before, inputs), received = interpret(after, inputs);
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_LT(distance(received[i], expected[i]), 1e-5) << before.outputs()[i].name;
}

Tensor rows(const Tensor& whole, int64_t first, const Type& type) {
  Tensor part(type.dtype, type.shape);
  std::memcpy(part.data(), whole.data() + static_cast<size_t>(first) * part.bytes(), part.bytes());
  return part;
}

// Without state the loss of a whole batch is the tree sum of the losses of its slices.
TEST(DataParallel, IsTheSumOverSlicesEachRunAlone) {
  constexpr int replicas = 3;
  Graph slice = cnn_step(2, replicas);
  Graph whole = data_parallel(slice, replicas);
  verify(whole);
  std::vector<Tensor> inputs = inputs_for(whole, 2);
  std::vector<Tensor> outputs = interpret(whole, inputs);
  std::vector<float> losses;
  for (int replica = 0; replica < replicas; ++replica) {
    std::vector<Tensor> part = inputs;
    for (size_t i = 0; i < part.size(); ++i)
      if (slice.inputs()[i].role == Role::batch)
        part[i] = rows(inputs[i], replica, slice.type(slice.inputs()[i].value));
    losses.push_back(interpret(slice, part).back().values<float>()[0]);
  }
  EXPECT_EQ(whole.outputs().back().name, "loss");
  EXPECT_NEAR(outputs.back().values<float>()[0], (losses[0] + losses[1]) + losses[2], 1e-6);
}

}  // namespace
}  // namespace hornbeam
