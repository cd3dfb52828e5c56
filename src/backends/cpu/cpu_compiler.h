// Compiles a graph for the CPU, once or with its batch cut in several ways.
#pragma once

#include <memory>

#include "backends/cpu/cpu_executable.h"
#include "compile/pipeline.h"

namespace hornbeam {

// How the batch of a replica is to be cut.
struct MicrobatchRequest {
  int64_t samples = 0;    // in each part; 0: not at all
  int64_t most_kept = 0;  // bytes that may be kept for the whole batch
};

// The graph behind all passes, and what became of the request. It does not depend on threads.
struct CutGraph {
  std::shared_ptr<const Graph> graph;
  std::vector<PassRecord> passes;
  Microbatches microbatches;
};

class CpuCompiler {
 public:
  // `options` must outlive this. Runs the passes that do not depend on the cut.
  CpuCompiler(const Graph& graph, const CompileOptions& options,
              std::shared_ptr<ThreadPool> threads, std::shared_ptr<Memory> arena);

  int64_t samples() const { return samples_; }  // of a replica's batch; 0 without one

  CutGraph cut(MicrobatchRequest request) const;
  // With kernels and workspaces for so many threads, at most as many as there are.
  std::unique_ptr<CpuExecutable> executable(CutGraph graph, int threads) const;

 private:
  CpuInfo info(int threads) const;

  const CompileOptions& options_;
  std::shared_ptr<ThreadPool> threads_;
  std::shared_ptr<Memory> arena_;
  int64_t samples_;
  PipelineResult uncut_;
};

}  // namespace hornbeam
