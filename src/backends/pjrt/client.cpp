#include "backends/pjrt/client.h"

#include <numeric>

#include "base/error.h"

namespace hornbeam::pjrt {
namespace {

ElementType element_type(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return ElementType::float32;
    case DType::float64:
      return ElementType::float64;
    case DType::bfloat16:
      return ElementType::bfloat16;
    case DType::int32:
      return ElementType::int32;
    case DType::int64:
      return ElementType::int64;
    case DType::uint8:
      return ElementType::uint8;
    case DType::boolean:
      return ElementType::boolean;
  }
  __builtin_unreachable();
}

NamedValue named_value(const ClientOption& option) {
  NamedValue named{};
  named.head.struct_size = sizeof named;
  named.name = option.name.data();
  named.name_size = option.name.size();
  named.value_size = 1;
  if (auto text = std::get_if<std::string>(&option.value)) {
    named.type = OptionType::text;
    named.text = text->data();
    named.value_size = text->size();
  } else if (auto integer = std::get_if<int64_t>(&option.value)) {
    named.type = OptionType::integer;
    named.integer = *integer;
  } else if (auto real = std::get_if<double>(&option.value)) {
    named.type = OptionType::real;
    named.real = static_cast<float>(*real);
  } else {
    named.type = OptionType::boolean;
    named.boolean = std::get<bool>(option.value);
  }
  return named;
}

constexpr std::string_view format = "mlir";

// Row-major order: the last axis runs fastest.
std::vector<int64_t> minor_to_major(int64_t rank) {
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.rbegin(), axes.rend(), 0);
  return axes;
}

}  // namespace

DeviceClient::DeviceClient(const Plugin& plugin, const ClientOptions& options) : plugin_(plugin) {
  std::vector<NamedValue> values;
  for (const ClientOption& option : options) values.push_back(named_value(option));
  Arguments<ClientCreateArguments> created;
  created->options = values.data();
  created->count = values.size();
  plugin_.call(Slot::client_create, created, "the plugin finds no device that it can use");
  client_ = created->client;
  Arguments<DevicesArguments> found;
  found->client = client_;
  plugin_.call(Slot::client_addressable_devices, found, "the plugin does not list its devices");
  if (found->count > 0 && found->devices != nullptr)
    devices_.assign(found->devices, found->devices + found->count);
  if (devices_.empty())
    throw Error("H604", {.message = "the plugin has no device", .place = plugin_.path().string()});
}

DeviceClient::~DeviceClient() { plugin_.destroy(Slot::client_destroy, client_); }

std::string DeviceClient::platform() const {
  return plugin_.text(Slot::client_platform_name, client_);
}

std::string DeviceClient::version() const {
  return plugin_.text(Slot::client_platform_version, client_);
}

std::string DeviceClient::device_kind(size_t device) const {
  return plugin_.text(Slot::description_kind,
                      plugin_.pointer(Slot::device_description, devices_.at(device)));
}

std::optional<int64_t> DeviceClient::memory_limit(size_t device) const {
  if (!plugin_.has(Slot::device_memory_stats)) return {};
  Arguments<DeviceMemoryArguments> stats;
  stats->device = devices_.at(device);
  if (plugin_.try_call(Slot::device_memory_stats, stats) || !stats->limit.known) return {};
  return stats->limit.value;
}

LoadedHandle DeviceClient::compile(const std::string& text, const std::string& options) const {
  Arguments<ProgramText> program;
  program->code = text.data();
  program->code_size = text.size();
  program->format = format.data();
  program->format_size = format.size();
  Arguments<CompileArguments> compiled;
  compiled->client = client_;
  compiled->program = program.get();
  compiled->options = options.data();
  compiled->options_size = options.size();
  plugin_.call(Slot::client_compile, compiled, "the plugin cannot compile the step");
  if (compiled->loaded == nullptr)
    throw Error("H604",
                {.message = "the plugin gives no compiled step", .place = plugin_.path().string()});
  return {plugin_, compiled->loaded};
}

ProgramHandle DeviceClient::program_of(const LoadedHandle& program) const {
  return {plugin_, static_cast<Program*>(plugin_.pointer(Slot::loaded_program, program.get()))};
}

std::optional<std::string> DeviceClient::serialized(const LoadedHandle& program) const {
  if (!plugin_.has(Slot::program_serialize)) return {};
  ProgramHandle whole = program_of(program);
  Arguments<SerializeArguments> arguments;
  arguments->program = whole.get();
  if (plugin_.try_call(Slot::program_serialize, arguments)) return {};
  std::string bytes(arguments->bytes, arguments->size);
  if (arguments->release != nullptr) arguments->release(arguments->holder);
  return bytes;
}

LoadedHandle DeviceClient::deserialized(const std::string& bytes) const {
  if (!plugin_.has(Slot::deserialize_and_load)) return {};
  Arguments<DeserializeArguments> arguments;
  arguments->client = client_;
  arguments->bytes = bytes.data();
  arguments->size = bytes.size();
  if (plugin_.try_call(Slot::deserialize_and_load, arguments)) return {};
  return {plugin_, arguments->loaded};
}

std::optional<ProgramMemory> DeviceClient::memory_of(const LoadedHandle& program) const {
  if (!plugin_.has(Slot::program_memory)) return {};
  ProgramHandle whole = program_of(program);
  Arguments<ProgramMemoryArguments> memory;
  memory->program = whole.get();
  if (plugin_.try_call(Slot::program_memory, memory)) return {};
  return ProgramMemory{memory->arguments, memory->outputs, memory->aliased, memory->temporary,
                       memory->code};
}

size_t DeviceClient::outputs_of(const LoadedHandle& program) const {
  return plugin_.count(Slot::program_outputs, program_of(program).get());
}

ArrayHandle DeviceClient::upload(std::span<const std::byte> bytes, const Type& type,
                                 size_t device) const {
  Arguments<UploadArguments> upload;
  upload->client = client_;
  upload->data = bytes.data();
  upload->type = element_type(type.dtype);
  upload->extents = type.shape.extents().data();
  upload->rank = type.shape.extents().size();
  upload->host_memory = HostMemory::unchanged_during_call;
  upload->device = devices_.at(device);
  plugin_.call(Slot::client_upload, upload, "an array cannot be copied to the device");
  plugin_.destroy(Slot::event_destroy, upload->done_with_host);
  if (upload->array == nullptr)
    throw Error("H604", {.message = "the plugin gives no array for what is copied to the device",
                         .place = plugin_.path().string()});
  return {plugin_, upload->array};
}

void DeviceClient::download(const ArrayHandle& array, const Type& type,
                            std::span<std::byte> target) const {
  const std::vector<int64_t> order = minor_to_major(type.shape.rank());
  Arguments<MemoryLayout> layout;
  layout->tiled.head.struct_size = sizeof(TiledLayout);
  layout->tiled.minor_to_major = order.data();
  layout->tiled.rank = order.size();
  Arguments<DownloadArguments> download;
  download->array = array.get();
  download->host_layout = layout.get();
  download->target = target.data();
  download->target_size = target.size();
  plugin_.call(Slot::array_download, download, "a result cannot be copied from the device");
  plugin_.await(download->done, "a result cannot be copied from the device");
}

std::vector<Event*> DeviceClient::execute(const LoadedHandle& program, const ArrayRows& inputs,
                                          ArrayRows& outputs) const {
  std::vector<Array* const*> input_rows;
  std::vector<Array**> output_rows;
  for (const auto& row : inputs) input_rows.push_back(row.data());
  for (auto& row : outputs) output_rows.push_back(row.data());
  std::vector<Event*> done(inputs.size());
  Arguments<ExecuteOptions> options;
  Arguments<ExecuteArguments> arguments;
  arguments->loaded = program.get();
  arguments->options = options.get();
  arguments->inputs = input_rows.data();
  arguments->devices = inputs.size();
  arguments->arguments = inputs.empty() ? 0 : inputs[0].size();
  arguments->outputs = output_rows.data();
  arguments->done = done.data();
  plugin_.call(Slot::execute, arguments, "the device cannot run the step");
  for (const auto& row : outputs)
    for (Array* array : row)
      if (array == nullptr)
        throw Error("H604", {.message = "the device gives no result of the step",
                             .place = plugin_.path().string()});
  return done;
}

}  // namespace hornbeam::pjrt
