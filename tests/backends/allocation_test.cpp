// A prepared step allocates nothing while it runs. This program counts every operator new.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "backends/backends.h"
#include "compile/training_graphs.h"

namespace {

std::atomic<int64_t> allocations{0};

void* allocate(std::size_t size, std::size_t alignment) {
  ++allocations;
  std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* block = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }

namespace hornbeam {
namespace {

using testing_graphs::cnn_step;
using testing_graphs::inputs_for;
using testing_graphs::mlp_step;

int64_t allocations_of_a_run(const Graph& graph, int threads) {
  auto backend = make_backend("cpu", {.threads = threads});
  auto executable = backend->compile(graph, {});
  executable->prepare();
  std::vector<Buffer> inputs, outputs(graph.outputs().size());
  for (const Tensor& tensor : inputs_for(graph, 3)) inputs.push_back(backend->upload(tensor));
  int64_t before = allocations;
  for (int step = 0; step < 3; ++step) executable->run(inputs, outputs);
  return allocations - before;
}

TEST(Allocations, NoneWhileAStepRuns) {
  for (int threads : {1, 2}) {
    EXPECT_EQ(allocations_of_a_run(mlp_step(4, 1), threads), 0);
    EXPECT_EQ(allocations_of_a_run(cnn_step(4, 1), threads), 0);
    EXPECT_EQ(allocations_of_a_run(cnn_step(4, 1, "channels_first"), threads), 0);
    EXPECT_EQ(allocations_of_a_run(testing_graphs::recurrent_step(4, 1), threads), 0);
  }
}

}  // namespace
}  // namespace hornbeam
