#include "backends/pjrt/pjrt_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "backends/pjrt/compile_options.h"
#include "backends/pjrt/pjrt_buffer.h"
#include "backends/pjrt/pjrt_executable.h"
#include "backends/pjrt/watchdog.h"
#include "base/error.h"
#include "compile/lower.h"
#include "stablehlo/print.h"

namespace hornbeam {
namespace {

// The model of the processor: plugins for CPUs compile for the one that they run on.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string line, text;
  while (std::getline(file, line) && !line.empty())
    if (line.starts_with("model name") || line.starts_with("flags")) text += line;
  return text;
}

// All that a compiled program depends on besides its text.
std::string surroundings(const pjrt::DeviceClient& client) {
  const std::filesystem::path& library = client.plugin().path();
  std::string text =
      fmt::format("{} {} {} {} {} {}", library.string(), std::filesystem::file_size(library),
                  std::filesystem::last_write_time(library).time_since_epoch().count(),
                  client.platform(), client.version(), client.plugin().minor_version());
  for (const auto& [name, value] : client.plugin().attributes()) text += name + value;
  for (size_t device = 0; device < client.devices(); ++device) text += client.device_kind(device);
  return client.platform() == "cpu" ? text + processor() : text;
}

int devices_for(const PjrtOptions& options, const pjrt::DeviceClient& client) {
  const int there = static_cast<int>(client.devices());
  if (!options.devices) {
    int devices = std::min(there, options.replicas.value_or(there));
    while (options.replicas && *options.replicas % devices != 0) --devices;
    return devices;
  }
  if (*options.devices > there)
    throw Error("H304", {.message = fmt::format("{} devices are asked for, and there are {}",
                                                *options.devices, there),
                         .place = "--device"});
  if (options.replicas && *options.replicas % *options.devices != 0)
    throw Error("H304", {.message = fmt::format("{} replicas cannot be shared by {} devices",
                                                *options.replicas, *options.devices),
                         .place = "--device",
                         .help = "the number of devices divides that of --replicas"});
  return *options.devices;
}

}  // namespace

PjrtBackend::PjrtBackend(PjrtOptions options)
    : options_(std::move(options)), cache_(options_.cache) {
  auto connect = [&] {
    return std::make_unique<pjrt::DeviceClient>(pjrt::plugin_at(options_.plugin), options_.client);
  };
  if (!pjrt::is_loaded(options_.plugin)) pjrt::first_contact(options_.plugin, [&] { connect(); });
  client_ = connect();
  devices_ = devices_for(options_, *client_);
}

// XLA's CPU devices are in the memory of the machine. Where another device does not tell, only the
// plugin can say that a step does not fit.
std::optional<int64_t> PjrtBackend::own_memory() const {
  if (client_->platform() == "cpu") return {};
  return client_->memory_limit(0).value_or(INT64_MAX);
}

std::shared_ptr<pjrt::LoadedHandle> PjrtBackend::loaded(const std::string& text) {
  const std::string options = pjrt::compile_options(devices_);
  const std::string key = text + options + surroundings(*client_);
  if (auto kept = cache_.find(key))
    if (pjrt::LoadedHandle program = client_->deserialized(*kept))
      return std::make_shared<pjrt::LoadedHandle>(std::move(program));
  auto program = std::make_shared<pjrt::LoadedHandle>(client_->compile(text, options));
  if (auto bytes = client_->serialized(*program)) cache_.put(key, *bytes);
  return program;
}

std::unique_ptr<Executable> PjrtBackend::compile(const Graph& graph,
                                                 const CompileOptions& options) {
  check(options.replicas % devices_ == 0, "a backend is made for the replicas of its steps");
  PipelineResult compiled = run_passes(graph, stablehlo_passes(options, devices_), options);
  const std::string text = print_stablehlo(
      compiled.graph, {.devices = devices_, .matmul_precision = options.matmul_precision});
  auto program = loaded(text);
  if (client_->outputs_of(*program) != graph.outputs().size())
    throw Error("H604",
                {.message = fmt::format("the plugin's program has {} results, the step {}",
                                        client_->outputs_of(*program), graph.outputs().size()),
                 .place = options_.plugin.string()});
  MemoryPlan plan =
      pjrt_memory_plan(compiled.graph, client_->memory_of(*program), 1 + steps_ahead());
  return std::make_unique<PjrtExecutable>(*client_, std::move(program), std::move(compiled),
                                          devices_, std::move(plan));
}

Buffer PjrtBackend::allocate(const Type& type, Role role) {
  return std::make_shared<PjrtBuffer>(*client_, type, role, devices_);
}

void PjrtBackend::upload(const Tensor& tensor, DeviceBuffer& buffer) {
  PjrtBuffer& target = pjrt_buffer(buffer);
  check(target.whole == Type{tensor.dtype(), tensor.shape()}, "upload keeps the type");
  target.fill({tensor.data(), tensor.bytes()});
}

void PjrtBackend::download(const DeviceBuffer& buffer, int64_t first,
                           std::span<std::byte> part) const {
  pjrt_buffer(const_cast<DeviceBuffer&>(buffer)).read(first, part);
}

}  // namespace hornbeam
