// Every backend gives the numbers of the reference backend, and the same bits at any number of
// threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "backends/backends.h"
#include "base/files.h"
#include "compile/training_graphs.h"
#include "ir/interpret.h"
#include "ops/gradients.h"
#include "ops/ops.h"
#include "run_on.h"

namespace hornbeam {
namespace {

using testing_graphs::cnn_step;
using testing_graphs::distance;
using testing_graphs::inputs_for;
using testing_graphs::mlp_step;
using testing_graphs::recurrent_step;

struct StepCase {
  const char* name;
  Graph (*make)(int64_t slice, int64_t replicas);
  int replicas;
};

class Steps : public testing::TestWithParam<StepCase> {};

TEST_P(Steps, AgreeWithTheReferenceAtAnyNumberOfThreads) {
  const StepCase& test = GetParam();
  Graph graph = test.make(4, test.replicas);
  std::vector<Tensor> inputs = inputs_for(graph, 3);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (graph.inputs()[i].role == Role::batch) {
      Shape shape = inputs[i].shape();
      shape[0] *= test.replicas;
      Tensor whole(inputs[i].dtype(), shape);
      for (int r = 0; r < test.replicas; ++r)
        std::memcpy(whole.data() + static_cast<size_t>(r) * inputs[i].bytes(), inputs[i].data(),
                    inputs[i].bytes());
      inputs[i] = std::move(whole);
    }
  auto reference = make_backend("reference", {});
  std::vector<Tensor> expected = run_on(*reference, graph, inputs, {.replicas = test.replicas}, 2);
  std::vector<Tensor> first;
  for (int threads : {1, 2, 3}) {
    auto cpu = make_backend("cpu", {.threads = threads});
    std::vector<Tensor> received = run_on(*cpu, graph, inputs, {.replicas = test.replicas}, 2);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_LT(distance(received[i], expected[i]), 1e-4) << graph.outputs()[i].name;
      if (threads > 1) {
        EXPECT_TRUE(identical(received[i], first[i])) << graph.outputs()[i].name;
      }
    }
    if (threads == 1) first = std::move(received);
  }
}

Graph cnn_channels_first(int64_t slice, int64_t replicas) {
  return cnn_step(slice, replicas, "channels_first");
}

Graph cnn(int64_t slice, int64_t replicas) { return cnn_step(slice, replicas); }

constexpr StepCase steps[] = {{"mlp", mlp_step, 1},
                              {"mlp_in_three_slices", mlp_step, 3},
                              {"cnn", cnn, 1},
                              {"cnn_in_two_slices", cnn, 2},
                              {"cnn_channels_first", cnn_channels_first, 1},
                              {"recurrent", recurrent_step, 1},
                              {"recurrent_in_two_slices", recurrent_step, 2}};

INSTANTIATE_TEST_SUITE_P(All, Steps, testing::ValuesIn(steps),
                         [](const auto& test) { return std::string(test.param.name); });

// Large enough that every kernel cuts its work into pieces.
TEST(Threads, ChangeNoBitOfALargeStep) {
  for (const Graph& graph :
       {testing_graphs::article_cnn_step(3), testing_graphs::article_mlp_step(33)}) {
    std::vector<Tensor> inputs = inputs_for(graph, 2);
    std::vector<Tensor> first;
    for (int threads : {1, 2, 3}) {
      auto cpu = make_backend("cpu", {.threads = threads});
      std::vector<Tensor> received = run_on(*cpu, graph, inputs);
      if (threads == 1) first = std::move(received);
      for (size_t i = 0; threads > 1 && i < first.size(); ++i)
        EXPECT_TRUE(identical(received[i], first[i])) << graph.outputs()[i].name;
    }
  }
}

// Rows of a table of 3 rows.
void expect_refused_index(int32_t index) {
  Builder build;
  Expr table = build.input("table", {DType::float32, {3, 2}}, Role::state);
  Expr indices = build.input("indices", {DType::int32, {2}});
  build.output("rows", gather(table, indices));
  Graph graph = build.finish();
  std::vector<Tensor> inputs{Tensor(DType::float32, {3, 2}), Tensor::of<int32_t>({2}, {1, index})};
  for (const BackendEntry& entry : all_backends()) {
    auto backend = entry.make({});
    try {
      run_on(*backend, graph, inputs);
      FAIL() << entry.name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code().name, "H206") << entry.name;
      EXPECT_EQ(error.parts().message,
                std::to_string(index) + " is outside a table of 3 rows, in sample 1 of the batch");
    }
  }
}

TEST(Backends, AnIndexOutsideATableIsAnError) {  // case B19
  expect_refused_index(3);
  expect_refused_index(-1);
}

TEST(Backends, EveryPassOfTheCpuHasATextTest) {
  std::string all;
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(HORNBEAM_TESTS_FOLDER) + "/passes"))
    all += read_text(file.path());
  auto executable = make_backend("cpu", {})->compile(mlp_step(2, 1), {});
  for (const PassRecord& pass : executable->passes()) {
    if (pass.name != "choose_kernels") {
      EXPECT_NE(all.find("\n--- " + pass.name), std::string::npos) << pass.name;
    }
  }
}

TEST(Backends, TheReportNamesTheKernelOfEveryNodeAndWhoRefused) {
  auto executable = make_backend("cpu", {})->compile(mlp_step(2, 1), {});
  bool product = false, refused = false;
  for (const KernelRecord& record : executable->kernels()) {
    product |= record.op == "dot_general" && record.kernel == "gemm" && record.scope == "dense_1";
    refused |= record.kernel == "reference" &&
               std::ranges::count(record.refusals, "tiles: results of int64") == 1;
  }
  EXPECT_TRUE(product);
  EXPECT_TRUE(refused);
}

// x -> dropout(relu(x)) · w, differentiated: only where x went through is its gradient made.
TEST(Backends, TheGradientBehindAReluAndADropoutIsMadeWhereItIsWanted) {
  Builder build(true);
  Expr x = build.input("x", {DType::float32, {128, 160}});
  Expr w = build.input("w", {DType::float32, {160, 128}});
  Expr key = build.input("key", {DType::int64, {}}, Role::parameter);
  Expr y = dot(dropout(relu(x), key, 0.5), w);
  const Exprs inputs{x};
  build.output("dx", gradients(sum_all(y * y), inputs)[0], Role::batch);
  Graph graph = build.finish();
  auto cpu = make_backend("cpu", {});
  const auto kernels = cpu->compile(graph, {})->kernels();
  EXPECT_EQ(std::ranges::count(kernels, "sampled gemm", &KernelRecord::kernel), 1);
  const std::vector<Tensor> values = inputs_for(graph, 3);
  EXPECT_LT(distance(run_on(*cpu, graph, values)[0], interpret(graph, values)[0]), 1e-5);
}

// Tiles make random numbers from 0 to 1 whole, but not the integers on the way.
TEST(Backends, AFusedNodeThatTilesRefuseRunsNodeByNode) {
  Builder build;
  Expr key = build.input("key", {DType::int64, {}}, Role::parameter);
  Expr zero = build.constant(Tensor::scalar(int64_t{0}));
  Expr bits = random_bits(key, zero, {5});
  build.output("bits", shift_right_logical(bits, full_like(bits, 8)));
  Graph graph = build.finish();
  auto cpu = make_backend("cpu", {});
  std::vector<Tensor> inputs{Tensor::scalar(int64_t{42})};
  const KernelRecord record = cpu->compile(graph, {})->kernels().at(0);
  EXPECT_EQ(record.op, "fused");
  EXPECT_EQ(record.kernel, "node by node");
  EXPECT_EQ(record.refusals.size(), 1u);
  EXPECT_TRUE(identical(run_on(*cpu, graph, inputs)[0], interpret(graph, inputs)[0]));
}

TEST(Backends, AnUnknownNameIsRefusedWithTheNearest) {
  try {
    make_backend("cpux", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code().name, "H302");
    EXPECT_EQ(error.parts().help, "did you mean 'cpu'?");
  }
}

}  // namespace
}  // namespace hornbeam
