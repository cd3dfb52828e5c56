#include "backends/cpu/cpu_backend.h"

#include <cstring>

#include "backends/cpu/cpu_executable.h"
#include "backends/cpu/fit_memory.h"
#include "base/error.h"
#include "compile/batch_axis.h"

namespace hornbeam {

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
