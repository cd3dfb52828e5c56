// The times that an executable records, and what its kernels are predicted to cost.
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/backends.h"
#include "compile/training_graphs.h"

namespace hornbeam {
namespace {

using testing_graphs::inputs_for;
using testing_graphs::mlp_step;

// What the traced moments say that a kernel took.
std::vector<double> traced_seconds(const Profile& profile, size_t kernels) {
  std::vector<double> seconds(kernels);
  std::span<const Profile::Ended> traced = profile.traced();
  for (size_t i = 1; i < traced.size(); ++i)
    if (traced[i].kernel)
      seconds[*traced[i].kernel] +=
          std::chrono::duration<double>(traced[i].moment - traced[i - 1].moment).count();
  return seconds;
}

int64_t traced_runs(const Profile& profile) {
  return std::ranges::count_if(profile.traced(), [](const auto& each) { return !each.kernel; });
}

void expect_every_kernel_of_every_run(Backend& backend, const Graph& graph) {
  auto executable = backend.compile(graph, {});
  executable->prepare();
  std::vector<Buffer> inputs, outputs(graph.outputs().size());
  for (const Tensor& tensor : inputs_for(graph, 3)) inputs.push_back(backend.upload(tensor));
  const size_t kernels = executable->kernels().size();
  Profile profile(executable->kernels(), 2);
  executable->run(inputs, outputs);
  executable->record_times(&profile);
  for (int run = 0; run < 2; ++run) executable->run(inputs, outputs);
  executable->record_times(nullptr);
  executable->run(inputs, outputs);
  EXPECT_EQ(profile.runs(), 2);
  EXPECT_EQ(traced_runs(profile), 2);
  double all = 0;
  const std::vector<double> traced = traced_seconds(profile, kernels);
  for (size_t kernel = 0; kernel < kernels; ++kernel) {
    EXPECT_GT(traced[kernel], 0) << executable->kernels()[kernel].node;
    EXPECT_DOUBLE_EQ(profile.kernel_seconds(kernel), traced[kernel]);
    all += traced[kernel];
  }
  EXPECT_LE(all, profile.seconds() * (1 + 1e-9)) << backend.name();
}

TEST(Profile, HasEveryKernelOfEveryRun) {
  for (const BackendEntry& entry : all_backends()) {
    expect_every_kernel_of_every_run(*entry.make({}), mlp_step(4, 1));
    expect_every_kernel_of_every_run(*entry.make({}), testing_graphs::recurrent_step(4, 1));
  }
}

TEST(Profile, KeepsTheMomentsOfTheFirstRunsOnly) {
  const std::vector<KernelRecord> kernels(1);
  Profile profile(kernels, 2);
  for (int run = 0; run < 3; ++run) {
    profile.begin_run();
    profile.end_kernel(0);
    profile.end_run();
  }
  EXPECT_EQ(profile.runs(), 3);
  EXPECT_EQ(traced_runs(profile), 2);
}

// What is inside of a loop is listed behind it, with its own shapes and how often it runs.
TEST(Profile, ListsWhatLoopsDo) {
  Builder body;
  Expr sum = body.input("sum", {DType::float32, {8}}), x = body.input("x", {DType::float32, {8}});
  body.output("next", tanh(sum + x));
  Builder build;
  Expr start = build.input("start", {DType::float32, {8}}),
       all = build.input("all", {DType::float32, {5, 8}});
  Exprs carries{start}, sequences{all};
  build.output("y", scan(body.finish(), {.carries = carries, .sequences = sequences}, 5)[0]);
  std::vector<KernelRecord> kernels =
      make_backend("cpu", {})->compile(build.finish(), {})->kernels();
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].op, "scan");
  EXPECT_EQ(kernels[0].calls, 1);
  EXPECT_EQ(kernels[0].operations, 0);
  EXPECT_TRUE(kernels[1].node.starts_with(kernels[0].node + "."));
  EXPECT_EQ(kernels[1].calls, 5);
  EXPECT_EQ(kernels[1].operations, 2.0 * 8);
}

std::vector<KernelRecord> kernels_of(Builder& build, Expr result) {
  build.output("y", result, Role::batch);
  return make_backend("cpu", {})->compile(build.finish(), {})->kernels();
}

TEST(Cost, OfAProductIsTwoOperationsForEachTerm) {
  Builder build;
  Expr a = build.input("a", {DType::float32, {8, 16}}),
       b = build.input("b", {DType::float32, {16, 32}});
  KernelRecord record = kernels_of(build, dot(a, b)).at(0);
  EXPECT_EQ(record.operations, 2.0 * 8 * 16 * 32);
  EXPECT_EQ(record.bytes, 4.0 * (8 * 16 + 16 * 32 + 8 * 32));
}

TEST(Cost, OfElementwiseChainsIsWhatTheyReadAndWriteOnce) {
  Builder build;
  Expr a = build.input("a", {DType::float32, {64}}), b = build.input("b", {DType::float32, {64}});
  KernelRecord record = kernels_of(build, tanh(a) * b + a).at(0);
  EXPECT_EQ(record.op, "fused");
  EXPECT_EQ(record.operations, 3.0 * 64);
  EXPECT_EQ(record.bytes, 4.0 * 3 * 64);
}

// Of 2 pictures of 8 x 8 with 3 channels, 3 x 3 kernels to 6 channels: all passes count the same.
TEST(Cost, OfAConvolutionIsTheSameForItsGradients) {
  auto executable = make_backend("cpu", {})->compile(testing_graphs::cnn_step(2, 1), {});
  int counted = 0;
  for (const KernelRecord& record : executable->kernels()) {
    if (!record.op.starts_with("conv_kernel") && record.op != "conv") continue;
    if (!record.scope.ends_with("conv_1")) continue;
    EXPECT_EQ(record.operations, 2.0 * 2 * 8 * 8 * 3 * 3 * 3 * 6) << record.op;
    ++counted;
  }
  EXPECT_EQ(counted, 2);
}

TEST(Cost, OfASliceIsWhatItCopies) {
  Builder build;
  Expr a = build.input("a", {DType::float32, {8, 100}});
  EXPECT_EQ(kernels_of(build, slice(a, {0, 0}, {8, 10}, {1, 1})).at(0).bytes, 4.0 * 2 * 80);
}

}  // namespace
}  // namespace hornbeam
