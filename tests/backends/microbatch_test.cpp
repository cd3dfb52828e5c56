// The CPU backend cuts a batch that would not fit.
#include <gtest/gtest.h>

#include "backends/backends.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/cpu_compiler.h"
#include "compile/training_graphs.h"
#include "run_on.h"

namespace hornbeam {
namespace {

using testing_graphs::cnn_step;
using testing_graphs::distance;
using testing_graphs::inputs_for;
using testing_graphs::mlp_step;

struct LimitCase {
  const char* name;
  Graph (*make)(int64_t slice, int64_t replicas);
  int64_t samples;
  double share;  // of what the uncut batch needs
};

Graph pictures_step(int64_t slice, int64_t replicas) { return cnn_step(slice, replicas); }

class MemoryLimit : public testing::TestWithParam<LimitCase> {};

TEST_P(MemoryLimit, IsKeptWithTheSameResult) {
  Graph graph = GetParam().make(GetParam().samples, 1);
  std::vector<Tensor> inputs = inputs_for(graph, 5);
  auto cpu = make_backend("cpu", {.threads = 2});
  const int64_t whole = cpu->compile(graph, {})->memory_plan().peak_bytes;
  CompileOptions options{.memory_limit =
                             static_cast<int64_t>(GetParam().share * static_cast<double>(whole))};
  auto cut = cpu->compile(graph, options);
  EXPECT_LE(cut->memory_plan().peak_bytes, options.memory_limit);
  EXPECT_GT(cut->memory_plan().microbatches.samples, 0);
  std::vector<Tensor> expected = run_on(*cpu, graph, inputs), first;
  for (int threads : {1, 2, 3}) {
    auto backend = make_backend("cpu", {.threads = threads});
    std::vector<Tensor> received = run_on(*backend, graph, inputs, options);
    if (first.empty()) first = received;
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_LT(distance(received[i], expected[i]), 2e-5) << graph.outputs()[i].name;
      EXPECT_TRUE(identical(received[i], first[i])) << graph.outputs()[i].name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Steps, MemoryLimit,
                         testing::Values(LimitCase{"mlp", mlp_step, 19200, 0.8},
                                         LimitCase{"pictures", pictures_step, 960, 0.8},
                                         LimitCase{"pictures_tight", pictures_step, 960, 0.6}),
                         [](const auto& test) { return test.param.name; });

// The limits at which a batch begins to be cut and at which there is no room for the workspaces of
// all threads, and those around them.
class Sweep {
 public:
  explicit Sweep(int64_t samples) : graph_(cnn_step(samples, 1)), inputs_(inputs_for(graph_, 5)) {}

  void run() {
    const int64_t least = peak(1), most = peak(most_threads) * 17 / 15;
    for (int64_t limit = least * 2 / 5; limit < least * 15 / 16; limit += least / 8) run_at(limit);
    for (int64_t limit = least * 15 / 16; limit <= most; limit += least / 64) run_at(limit);
  }

  int with_fewer_threads = 0, cut = 0, refused = 0;

 private:
  static constexpr int most_threads = 3;

  int64_t peak(int threads) const {
    auto backend = make_backend("cpu", {.threads = threads});
    return backend->compile(graph_, {})->memory_plan().peak_bytes;
  }

  void run_at(int64_t limit) {
    std::vector<Tensor> first;
    bool first_fits = false;
    for (int threads = 1; threads <= most_threads; ++threads) {
      auto backend = make_backend("cpu", {.threads = threads});
      auto executable = backend->compile(graph_, {.memory_limit = limit});
      const MemoryPlan& plan = executable->memory_plan();
      const bool fits = plan.peak_bytes <= limit;
      std::vector<Tensor> received =
          run_on(*backend, *executable, graph_.outputs().size(), inputs_);
      if (threads == 1) {
        first = received;
        first_fits = fits;
      }
      EXPECT_EQ(fits, first_fits) << limit;
      for (size_t i = 0; i < first.size(); ++i)
        EXPECT_TRUE(identical(received[i], first[i])) << graph_.outputs()[i].name << ", " << limit;
      EXPECT_EQ(plan.threads.asked, threads);
      const bool fewer = fits && plan.threads.used < threads;
      EXPECT_EQ(fewer, plan.threads.missing_bytes > 0) << limit;
      with_fewer_threads += fewer;
      cut += plan.microbatches.samples > 0;
      refused += !fits;
    }
  }

  Graph graph_;
  std::vector<Tensor> inputs_;
};

TEST(MemoryLimits, GiveTheSameBitsAtAnyNumberOfThreads) {
  Sweep small(96), large(960);
  small.run();
  large.run();
  EXPECT_GT(small.with_fewer_threads, 0);
  EXPECT_GT(large.cut, 0);
  EXPECT_GT(small.refused, 0);
}

// A batch of 96, cut as asked.
class AnyBatch : public testing::TestWithParam<Graph (*)(int64_t slice, int64_t replicas)> {
 protected:
  static constexpr int64_t batch = 96, everything = int64_t{1} << 40;

  std::vector<Tensor> run_cut(MicrobatchRequest cut, int64_t* kept = nullptr) {
    auto made = compiler_.executable(compiler_.cut(cut), threads_->threads());
    if (kept != nullptr) *kept = made->memory_plan().microbatches.kept_bytes;
    return run_on(backend_, *made, graph_.outputs().size(), inputs_);
  }

  Graph graph_ = GetParam()(batch, 1);
  std::vector<Tensor> inputs_ = inputs_for(graph_, 5);
  CompileOptions options_;
  CpuBackend backend_{2};
  std::shared_ptr<ThreadPool> threads_ = std::make_shared<ThreadPool>(2);
  CpuCompiler compiler_{graph_, options_, threads_, std::make_shared<Memory>(0)};
};

TEST_P(AnyBatch, InSlicesAndWithEveryRecomputationIsTheSame) {  // case B45
  const std::vector<Tensor> whole = run_cut({});
  for (int64_t slices : {1, 2, 3, 8}) {
    int64_t kept = 0;
    const std::vector<Tensor> all_kept = run_cut({batch / slices, everything}, &kept);
    for (size_t i = 0; i < whole.size(); ++i)
      EXPECT_LT(distance(all_kept[i], whole[i]), 2e-5)
          << graph_.outputs()[i].name << " in " << slices << " slices";
    for (int64_t most_kept : {kept - 1, kept / 2, kept / 4, int64_t{0}}) {
      const std::vector<Tensor> again = run_cut({batch / slices, most_kept});
      for (size_t i = 0; i < whole.size(); ++i)
        EXPECT_TRUE(identical(again[i], all_kept[i]))
            << graph_.outputs()[i].name << ", " << most_kept << " of " << kept << " bytes kept";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Steps, AnyBatch, testing::Values(mlp_step, pictures_step));

TEST(MemoryLimits, TooSmallForOneSampleGiveTheSmallestPlan) {
  auto cpu = make_backend("cpu", {});
  auto executable = cpu->compile(cnn_step(96, 1), {.memory_limit = 1});
  auto whole = cpu->compile(cnn_step(96, 1), {});
  EXPECT_LE(executable->memory_plan().peak_bytes, whole->memory_plan().peak_bytes);
}

}  // namespace
}  // namespace hornbeam
