// The memory plan against what the system says.
#include <gtest/gtest.h>
#include <malloc.h>

#include <fstream>
#include <string>

#include "backends/backends.h"
#include "compile/training_graphs.h"

namespace hornbeam {
namespace {

// Resident bytes of this process.
int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * 4096;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

TEST(Memory, ResidentGrowsByThePlanAndNoMore) {
  if (sanitized) GTEST_SKIP() << "a sanitizer keeps memory of its own";
  Graph graph = testing_graphs::article_cnn_step(16);
  std::vector<Tensor> tensors = testing_graphs::inputs_for(graph, 16);
  auto backend = make_backend("cpu", {.threads = 2});
  auto executable = backend->compile(graph, {});
  malloc_trim(0);
  int64_t before = resident_bytes();
  executable->prepare();
  std::vector<Buffer> inputs, outputs(graph.outputs().size());
  for (const Tensor& tensor : tensors) inputs.push_back(backend->upload(tensor));
  for (int step = 0; step < 2; ++step) executable->run(inputs, outputs);
  double grown = static_cast<double>(resident_bytes() - before);
  double planned = static_cast<double>(executable->memory_plan().peak_bytes);
  EXPECT_GT(planned, 60e6);
  EXPECT_LT(grown, planned * 1.05);
  EXPECT_GT(grown, planned * 0.95);
}

}  // namespace
}  // namespace hornbeam
