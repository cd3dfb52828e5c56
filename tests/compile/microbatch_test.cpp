// A batch in microbatches gives what the whole batch gives, to the rounding of sums, whatever is
// kept between them.
#include "compile/microbatch.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compile/data_parallel.h"
#include "compile/expand.h"
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
using testing_graphs::recurrent_step;

// As a backend has it that claims nothing but batch statistics.
Graph expanded(const Graph& graph) {
  return simplify(expand(graph, [](const Node& node, const Types&) {
    return node.op == &batch_norm_statistics_op || node.op == &conv_op ||
           node.op == &conv_kernel_gradient_op || node.op == &conv_input_gradient_op;
  }));
}

KeepRules keeping_at_most(int64_t bytes) {
  return {.seconds = [](uint32_t) { return 1.0; }, .most_bytes = bytes};
}

constexpr int64_t everything = int64_t{1} << 40;

void expect_same_results(const Graph& graph, int64_t samples, int64_t most_kept) {
  MicrobatchStages stages(graph);
  Graph cut = microbatch(stages, samples, choose_kept(stages, keeping_at_most(most_kept)).values);
  verify(cut);
  for (int64_t valid : {stages.samples(), stages.samples() - 1, int64_t{1}}) {
    std::vector<Tensor> inputs = inputs_for(graph, 3);
    for (size_t i = 0; i < inputs.size(); ++i)
      if (graph.inputs()[i].name == "valid")
        inputs[i] = Tensor::scalar(static_cast<int32_t>(valid));
    std::vector<Tensor> expected = interpret(graph, inputs), received = interpret(cut, inputs);
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_LT(distance(received[i], expected[i]), 2e-5)
          << graph.outputs()[i].name << ", " << samples << " samples a part, " << valid << " real";
  }
}

using MakeStep = Graph (*)(int64_t slice, int64_t replicas);
class Microbatch : public testing::TestWithParam<MakeStep> {};

TEST_P(Microbatch, GivesTheResultOfTheWholeBatch) {  // case B45
  Graph graph = expanded(data_parallel(GetParam()(12, 1), 1));
  for (int64_t samples : {1, 2, 4, 6, 12})
    for (int64_t most_kept : {everything, int64_t{20000}, int64_t{0}})
      expect_same_results(graph, samples, most_kept);
}

TEST_P(Microbatch, GivesTheResultOfReplicas) {
  Graph graph = expanded(GetParam()(6, 3));
  MicrobatchStages stages(graph);
  Graph cut = microbatch(stages, 2, choose_kept(stages, keeping_at_most(everything)).values);
  Graph expected = data_parallel(graph, 3), received = data_parallel(cut, 3);
  std::vector<Tensor> inputs = inputs_for(expected, 3);
  std::vector<Tensor> a = interpret(expected, inputs), b = interpret(received, inputs);
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_LT(distance(b[i], a[i]), 2e-5) << graph.outputs()[i].name;
}

Graph channels_first_step(int64_t slice, int64_t replicas) {
  return cnn_step(slice, replicas, "channels_first");
}
Graph channels_last_step(int64_t slice, int64_t replicas) { return cnn_step(slice, replicas); }

INSTANTIATE_TEST_SUITE_P(Steps, Microbatch,
                         testing::Values(mlp_step, channels_last_step, channels_first_step,
                                         recurrent_step));

// Of 1, 2, 3, 4 and 10, in parts of two with a sixth that is not real: the mean is 4 and the
// variance 10, never those of the last part.
TEST(MicrobatchStatistics, AreThoseOfTheWholeBatch) {  // case B45
  Builder build;
  Expr x = build.input("x", {DType::float32, {6, 1}}, Role::batch),
       valid = build.input("valid", {DType::int32, {}}, Role::parameter);
  BatchNormStatistics statistics = batch_norm_statistics(x, valid, 1);
  build.output("mean", statistics.mean);
  build.output("variance", statistics.variance);
  Graph graph = build.finish();
  Graph cut = microbatch(MicrobatchStages(graph), 2, {});
  Tensor samples(DType::float32, {6, 1});
  std::ranges::copy(std::vector<float>{1, 2, 3, 4, 10, 99}, samples.values<float>().begin());
  std::vector<Tensor> inputs{samples, Tensor::scalar(int32_t{5})};
  std::vector<Tensor> results = interpret(cut, inputs);
  EXPECT_NEAR(results[0].values<float>()[0], 4, 1e-6);
  EXPECT_NEAR(results[1].values<float>()[0], 10, 1e-5);
}

TEST(KeepChoice, KeepsNothingThatMustNotAndSaysWhatRunsAgain) {
  Graph graph = expanded(data_parallel(cnn_step(12, 1), 1));
  MicrobatchStages stages(graph);
  KeepRules rules{.seconds =
                      [&](uint32_t node) {
                        return graph.nodes()[node].op->op_class == OpClass::other ? 1.0 : 1e-6;
                      },
                  .most_bytes = everything};
  Kept much = choose_kept(stages, rules);
  EXPECT_NEAR(much.slowdown, 1, 1e-3);
  EXPECT_TRUE(much.repeated.empty());
  rules.most_bytes = 0;
  Kept nothing = choose_kept(stages, rules);
  EXPECT_GT(nothing.slowdown, 1.1);
  EXPECT_EQ(nothing.repeated.front(), "conv_1");
  rules.most_bytes = much.most_bytes / 2;
  Kept half = choose_kept(stages, rules);
  EXPECT_LE(half.most_bytes, rules.most_bytes);
  EXPECT_LE(half.slowdown, nothing.slowdown);
}

// A sum over the batch is the only thing that a small multilayer perceptron needs of all samples.
TEST(MicrobatchStages, EndWhereSamplesMeet) {
  Graph dense = expanded(data_parallel(mlp_step(4, 1), 1));
  EXPECT_EQ(MicrobatchStages(dense).count(), 1);
  Graph normalized = expanded(data_parallel(cnn_step(4, 1), 1));
  EXPECT_EQ(MicrobatchStages(normalized).count(), 3);
}

}  // namespace
}  // namespace hornbeam
