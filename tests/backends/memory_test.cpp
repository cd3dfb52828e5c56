// The memory plan against what the system says.
#include <gtest/gtest.h>
#include <malloc.h>

#include "backends/backends.h"
#include "compile/training_graphs.h"
#include "process_memory.h"

namespace hornbeam {
namespace {

TEST(Memory, ResidentGrowsByThePlanAndNoMore) {
  if (sanitized) GTEST_SKIP() << "a sanitizer keeps memory of its own";
  Graph graph = testing_graphs::article_cnn_step(16);
  std::vector<Tensor> tensors = testing_graphs::inputs_for(graph, 16);
  auto backend = make_backend("cpu", {.threads = 2});
  auto executable = backend->compile(graph, {});
  malloc_trim(0);
  double before = status_bytes("VmRSS");
  executable->prepare();
  std::vector<Buffer> inputs, outputs(graph.outputs().size());
  for (const Tensor& tensor : tensors) inputs.push_back(backend->upload(tensor));
  for (int step = 0; step < 2; ++step) executable->run(inputs, outputs);
  double grown = status_bytes("VmRSS") - before;
  double planned = static_cast<double>(executable->memory_plan().peak_bytes);
  EXPECT_GT(planned, 60e6);
  EXPECT_LT(grown, planned * 1.05);
  EXPECT_GT(grown, planned * 0.95);
}

}  // namespace
}  // namespace hornbeam
