#include "backends/cpu/cpu_backend.h"

#include <cstring>

#include "backends/cpu/cpu_executable.h"
#include "backends/cpu/fit_memory.h"
#include "base/error.h"

namespace hornbeam {
namespace {

// The samples of one replica; 1 without a batch.
int64_t samples_of(const Graph& graph) {
  for (const Port& port : graph.inputs())
    if (port.role == Role::batch && graph.type(port.value).shape.rank() > 0)
      return graph.type(port.value).shape[0];
  return 1;
}

}  // namespace

CpuBackend::CpuBackend(int threads) : threads_(std::make_shared<ThreadPool>(threads)) {}

std::unique_ptr<Executable> CpuBackend::compile(const Graph& graph, const CompileOptions& options) {
  auto compile_cut = [&](MicrobatchRequest cut, int threads) {
    const CpuInfo cpu{.threads = threads, .matmul_precision = options.matmul_precision};
    PipelineResult compiled = run_passes(graph, cpu_passes(options, cpu, cut), options);
    return std::make_unique<CpuExecutable>(std::move(compiled.graph), std::move(compiled.passes),
                                           cpu, threads_, arena_, std::move(cut.chosen),
                                           options.staged_bytes);
  };
  return fit_memory(samples_of(graph), options.memory_limit, threads_->threads(), compile_cut);
}

Buffer CpuBackend::allocate(const Type& type) {
  return std::make_shared<CpuBuffer>(type, std::make_shared<Memory>(type.bytes()), 0);
}

void CpuBackend::upload(const Tensor& tensor, DeviceBuffer& buffer) {
  check(buffer.type() == Type{tensor.dtype(), tensor.shape()}, "upload keeps the type");
  std::memcpy(cpu_buffer(buffer).data(), tensor.data(), tensor.bytes());
}

void CpuBackend::download(const DeviceBuffer& buffer, Tensor& tensor) {
  check(buffer.type() == Type{tensor.dtype(), tensor.shape()}, "download keeps the type");
  std::memcpy(tensor.data(), cpu_buffer(buffer).data(), tensor.bytes());
}

}  // namespace hornbeam
