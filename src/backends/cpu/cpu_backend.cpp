#include "backends/cpu/cpu_backend.h"

#include <malloc.h>

#include <cstring>

#include "backends/cpu/fit_memory.h"
#include "base/error.h"

namespace hornbeam {

CpuBackend::CpuBackend(int threads) : threads_(std::make_shared<ThreadPool>(threads)) {}

std::unique_ptr<Executable> CpuBackend::compile(const Graph& graph, const CompileOptions& options) {
  auto best = fit_memory(CpuCompiler(graph, options, threads_, arena_), options.memory_limit,
                         threads_->threads());
  // What the search took must not stand beside the arena, which is not there yet.
  if (best->memory_plan().microbatches.samples > 0) ::malloc_trim(0);
  return best;
}

Buffer CpuBackend::allocate(const Type& type, Role) {
  return std::make_shared<CpuBuffer>(type, std::make_shared<Memory>(type.bytes()), 0);
}

void CpuBackend::upload(const Tensor& tensor, DeviceBuffer& buffer) {
  check(buffer.type() == Type{tensor.dtype(), tensor.shape()}, "upload keeps the type");
  std::memcpy(cpu_buffer(buffer).data(), tensor.data(), tensor.bytes());
}

void CpuBackend::download(const DeviceBuffer& buffer, int64_t first,
                          std::span<std::byte> part) const {
  std::memcpy(part.data(), cpu_buffer(buffer).data() + first, part.size());
}

}  // namespace hornbeam
