// Backend "pjrt": a training step as one StableHLO program, on the devices of a PJRT plugin.
//
// The replicas run on as many of the devices as divide them: each device runs its share of the
// slices in series, and sums cross the devices. State is on every device, the batch is cut. Steps
// are started one behind the other and may still run when run() has returned.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "backends/pjrt/client.h"
#include "backends/pjrt/program_cache.h"
#include "runtime/backend.h"

namespace hornbeam {

struct PjrtOptions {
  std::string name = "pjrt";  // what the user called the device
  std::filesystem::path plugin;
  pjrt::ClientOptions client = {};
  std::optional<int> replicas = {};  // of the steps to come; else one for each device
  std::optional<int> devices = {};   // to use; else the most that divide the replicas
  std::filesystem::path cache = {};  // folder of compiled programs; empty for none
};

class PjrtBackend : public Backend {
 public:
  using Backend::download;
  using Backend::upload;

  // Throws H601 to H604 when the plugin cannot be used, H304 when there are not that many devices
  // or they do not divide the replicas.
  explicit PjrtBackend(PjrtOptions options);

  std::string_view name() const override { return options_.name; }
  int steps_ahead() const override { return 2; }
  int devices() const override { return devices_; }
  std::optional<int64_t> own_memory() const override;
  std::unique_ptr<Executable> compile(const Graph& graph, const CompileOptions& options) override;

  Buffer allocate(const Type& type, Role role) override;
  void upload(const Tensor& tensor, DeviceBuffer& buffer) override;
  void download(const DeviceBuffer& buffer, int64_t first,
                std::span<std::byte> part) const override;

  const pjrt::DeviceClient& client() const { return *client_; }

 private:
  std::shared_ptr<pjrt::LoadedHandle> loaded(const std::string& text);

  PjrtOptions options_;
  std::unique_ptr<pjrt::DeviceClient> client_;
  int devices_ = 1;
  pjrt::ProgramCache cache_;
};

}  // namespace hornbeam
