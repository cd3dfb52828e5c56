#include "backends/cpu/cpu_backend.h"

#include <cstring>

#include "backends/cpu/cpu_executable.h"
#include "backends/cpu/cpu_passes.h"
#include "base/error.h"
namespace hornbeam {

CpuBackend::CpuBackend(int threads) : threads_(std::make_shared<ThreadPool>(threads)) {}

std::unique_ptr<Executable> CpuBackend::compile(const Graph& graph, const CompileOptions& options) {
  const CpuInfo cpu{.threads = threads_->threads(), .matmul_precision = options.matmul_precision};
  PipelineResult compiled = run_passes(graph, cpu_passes(options, cpu), options);
  return std::make_unique<CpuExecutable>(std::move(compiled.graph), std::move(compiled.passes), cpu,
                                         threads_, arena_);
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
