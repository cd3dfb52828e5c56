// A prepared step allocates nothing while it runs.
#include <gtest/gtest.h>

#include "backends/backends.h"
#include "backends/counted_allocations.h"
#include "compile/training_graphs.h"

namespace hornbeam {
namespace {

using testing_graphs::cnn_step;
using testing_graphs::inputs_for;
using testing_graphs::mlp_step;

int64_t allocations_of_a_run(const Graph& graph, int threads, bool profiled = false) {
  auto backend = make_backend("cpu", {.threads = threads});
  auto executable = backend->compile(graph, {});
  executable->prepare();
  std::vector<Buffer> inputs, outputs(graph.outputs().size());
  for (const Tensor& tensor : inputs_for(graph, 3)) inputs.push_back(backend->upload(tensor));
  Profile profile(executable->kernels(), 2);
  if (profiled) executable->record_times(&profile);
  int64_t before = counted_allocations();
  for (int step = 0; step < 3; ++step) executable->run(inputs, outputs);
  return counted_allocations() - before;
}

TEST(Allocations, NoneWhileAStepRuns) {
  for (int threads : {1, 2}) {
    EXPECT_EQ(allocations_of_a_run(mlp_step(4, 1), threads), 0);
    EXPECT_EQ(allocations_of_a_run(cnn_step(4, 1), threads), 0);
    EXPECT_EQ(allocations_of_a_run(cnn_step(4, 1, "channels_first"), threads), 0);
    EXPECT_EQ(allocations_of_a_run(testing_graphs::recurrent_step(4, 1), threads), 0);
  }
}

TEST(Allocations, NoneWhileAStepIsProfiled) {
  EXPECT_EQ(allocations_of_a_run(mlp_step(4, 1), 2, true), 0);
  EXPECT_EQ(allocations_of_a_run(testing_graphs::recurrent_step(4, 1), 2, true), 0);
}

}  // namespace
}  // namespace hornbeam
