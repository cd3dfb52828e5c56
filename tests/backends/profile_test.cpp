// The times that an executable records, and what its kernels are predicted to cost.
#include <gtest/gtest.h>

#include "backends/backends.h"
#include "compile/training_graphs.h"

namespace hornbeam {
namespace {

using testing_graphs::inputs_for;
using testing_graphs::mlp_step;

double seconds_of(std::span<const Profile::Moment> moments, size_t kernel) {
  return std::chrono::duration<double>(moments[kernel + 1] - moments[kernel]).count();
}

TEST(Profile, HasEveryKernelOfEveryRun) {
  Graph graph = mlp_step(4, 1);
  for (const BackendEntry& entry : all_backends()) {
    auto backend = entry.make({});
    auto executable = backend->compile(graph, {});
    executable->prepare();
    std::vector<Buffer> inputs, outputs(graph.outputs().size());
    for (const Tensor& tensor : inputs_for(graph, 3)) inputs.push_back(backend->upload(tensor));
    const size_t kernels = executable->kernels().size();
    Profile profile(kernels, 2);
    executable->run(inputs, outputs);
    executable->record_times(&profile);
    for (int run = 0; run < 2; ++run) executable->run(inputs, outputs);
    executable->record_times(nullptr);
    executable->run(inputs, outputs);
    EXPECT_EQ(profile.runs(), 2);
    ASSERT_EQ(profile.traced_runs(), 2u);
    double all = 0;
    for (size_t kernel = 0; kernel < kernels; ++kernel) {
      double traced = 0;
      for (size_t run = 0; run < 2; ++run) traced += seconds_of(profile.traced_run(run), kernel);
      EXPECT_DOUBLE_EQ(profile.kernel_seconds(kernel), traced);
      all += traced;
    }
    EXPECT_GT(all, 0);
    EXPECT_LE(all, profile.seconds() * (1 + 1e-9)) << entry.name;
  }
}

TEST(Profile, KeepsTheMomentsOfTheFirstRunsOnly) {
  Profile profile(1, 2);
  for (int run = 0; run < 3; ++run) {
    profile.begin_run();
    profile.end_kernel();
    profile.end_run();
  }
  EXPECT_EQ(profile.runs(), 3);
  EXPECT_EQ(profile.traced_runs(), 2u);
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
