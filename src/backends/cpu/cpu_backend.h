// The backend for the cores of this machine: elementwise chains are fused, every node is done by
// the best kernel that takes it, and a step runs in memory that was planned and allocated before.
#pragma once

#include <memory>

#include "backends/cpu/memory.h"
#include "base/threads.h"
#include "runtime/backend.h"

namespace hornbeam {

class CpuBackend : public Backend {
 public:
  using Backend::download;
  using Backend::upload;

  explicit CpuBackend(int threads);

  std::string_view name() const override { return "cpu"; }
  std::unique_ptr<Executable> compile(const Graph& graph, const CompileOptions& options) override;

  Buffer allocate(const Type& type, Role role) override;
  void upload(const Tensor& tensor, DeviceBuffer& buffer) override;
  void download(const DeviceBuffer& buffer, int64_t first,
                std::span<std::byte> part) const override;

 private:
  // Shared with the executables, of which one runs at a time.
  std::shared_ptr<ThreadPool> threads_;
  std::shared_ptr<Memory> arena_ = std::make_shared<Memory>(0);
};

}  // namespace hornbeam
