// The backend that runs every op by its reference meaning: slow, obvious, the oracle for the others
// and the start of a new one. It claims no composite.
#pragma once

#include "runtime/backend.h"

namespace hornbeam {

class ReferenceBackend : public Backend {
 public:
  using Backend::download;
  using Backend::upload;

  std::string_view name() const override { return "reference"; }
  std::unique_ptr<Executable> compile(const Graph& graph, const CompileOptions& options) override;

  Buffer allocate(const Type& type, Role role) override;
  void upload(const Tensor& tensor, DeviceBuffer& buffer) override;
  void download(const DeviceBuffer& buffer, int64_t first,
                std::span<std::byte> part) const override;
};

}  // namespace hornbeam
