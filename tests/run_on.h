// A graph run on a backend: inputs up, `runs` times, outputs down.
#pragma once

#include <vector>

#include "runtime/backend.h"

namespace hornbeam {

inline std::vector<Tensor> run_on(Backend& backend, Executable& executable, size_t outputs_count,
                                  const std::vector<Tensor>& inputs, int runs = 1) {
  executable.prepare();
  std::vector<Buffer> buffers, outputs(outputs_count);
  for (const Tensor& input : inputs) buffers.push_back(backend.upload(input));
  for (int run = 0; run < runs; ++run) executable.run(buffers, outputs);
  std::vector<Tensor> results;
  for (const Buffer& output : outputs) results.push_back(backend.download(output));
  return results;
}

inline std::vector<Tensor> run_on(Backend& backend, const Graph& graph,
                                  const std::vector<Tensor>& inputs,
                                  const CompileOptions& options = {}, int runs = 1) {
  auto executable = backend.compile(graph, options);
  return run_on(backend, *executable, graph.outputs().size(), inputs, runs);
}

}  // namespace hornbeam
