// Every backend gives the numbers of the reference backend, and the same bits at any number of
// threads.
#include <gtest/gtest.h>

#include <cstring>

#include "backends/backends.h"
#include "compile/training_graphs.h"
#include "ir/interpret.h"

namespace hornbeam {
namespace {

using testing_graphs::cnn_step;
using testing_graphs::distance;
using testing_graphs::inputs_for;
using testing_graphs::mlp_step;

std::vector<Tensor> run_on(Backend& backend, const Graph& graph, const std::vector<Tensor>& inputs,
                           int replicas, int runs = 1) {
  auto executable = backend.compile(graph, {.replicas = replicas});
  executable->prepare();
  std::vector<Buffer> buffers, outputs(graph.outputs().size());
  for (const Tensor& input : inputs) buffers.push_back(backend.upload(input));
  for (int run = 0; run < runs; ++run) executable->run(buffers, outputs);
  std::vector<Tensor> results;
  for (const Buffer& output : outputs) results.push_back(backend.download(output));
  return results;
}

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
  std::vector<Tensor> expected = run_on(*reference, graph, inputs, test.replicas, 2);
  std::vector<Tensor> first;
  for (int threads : {1, 2, 3}) {
    auto cpu = make_backend("cpu", {.threads = threads});
    std::vector<Tensor> received = run_on(*cpu, graph, inputs, test.replicas, 2);
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

INSTANTIATE_TEST_SUITE_P(
    All, Steps,
    testing::Values(StepCase{"mlp", mlp_step, 1}, StepCase{"mlp3", mlp_step, 3},
                    StepCase{"cnn", [](int64_t s, int64_t r) { return cnn_step(s, r); }, 1},
                    StepCase{"cnn2", [](int64_t s, int64_t r) { return cnn_step(s, r); }, 2},
                    StepCase{"cnn_first", cnn_channels_first, 1}),
    [](const auto& test) { return test.param.name; });

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
