#include "backends/pjrt/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "backends/pjrt/watchdog.h"
#include "base/error.h"

namespace hornbeam::pjrt {
namespace {

// Settings that a library reads while it is loaded. Those of the user come first.
void set_environment() {
  constexpr int keep = 0;
  ::setenv("TF_CPP_MIN_LOG_LEVEL", "3", keep);  // errors come to us as texts
  ::setenv("TPU_LOG_DIR", "disabled", keep);
  // Without a TPU, libtpu would ask the network for one for minutes.
  if (!std::filesystem::exists("/dev/accel0") && !std::filesystem::exists("/dev/vfio"))
    ::setenv("TPU_SKIP_MDS_QUERY", "1", keep);
}

const Api* table_of(const std::filesystem::path& path) {
  set_environment();
  // Never closed: plugins leave threads and registries behind.
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw Error(
        "H601",
        {.message = "the plugin cannot be loaded", .place = path.string(), .notes = {::dlerror()}});
  auto get = reinterpret_cast<const Api* (*)()>(::dlsym(library, "GetPjrtApi"));
  if (get == nullptr)
    throw Error("H601", {.message = "the library is no PJRT plugin: it has no function GetPjrtApi",
                         .place = path.string()});
  return get();
}

[[noreturn]] void unusable(const std::filesystem::path& path, std::string message) {
  throw Error("H602", {.message = std::move(message),
                       .place = path.string(),
                       .help = fmt::format("plugins with a PJRT version of {}.{} or later work",
                                           abi_major, abi_minor_oldest)});
}

// Every function up to the last one that a step needs must be in the table.
void require_usable(const std::filesystem::path& path, const Api* api) {
  if (api == nullptr) unusable(path, "the plugin gives no table of functions");
  if (api->head.struct_size < offsetof(Api, functions))
    unusable(path, fmt::format("the plugin's table has only {} bytes", api->head.struct_size));
  const Version& version = api->version;
  if (version.major != abi_major || version.minor < abi_minor_oldest)
    unusable(path, fmt::format("the plugin has PJRT version {}.{}", version.major, version.minor));
}

constexpr Slot needed[] = {Slot::error_destroy,
                           Slot::error_message,
                           Slot::error_code,
                           Slot::plugin_initialize,
                           Slot::event_destroy,
                           Slot::event_on_ready,
                           Slot::event_is_ready,
                           Slot::event_error,
                           Slot::client_create,
                           Slot::client_destroy,
                           Slot::client_platform_name,
                           Slot::client_platform_version,
                           Slot::client_addressable_devices,
                           Slot::client_compile,
                           Slot::client_upload,
                           Slot::description_kind,
                           Slot::device_description,
                           Slot::program_destroy,
                           Slot::loaded_destroy,
                           Slot::loaded_program,
                           Slot::execute,
                           Slot::array_destroy,
                           Slot::array_download};

std::string value_text(const NamedValue& value) {
  switch (value.type) {
    case OptionType::text:
      return {value.text, value.value_size};
    case OptionType::integer:
      return std::to_string(value.integer);
    case OptionType::integers: {
      std::string text;
      for (size_t i = 0; i < value.value_size; ++i)
        text += (i == 0 ? "" : ".") + std::to_string(value.integers[i]);
      return text;
    }
    case OptionType::real:
      return fmt::format("{}", value.real);
    case OptionType::boolean:
      return value.boolean ? "true" : "false";
  }
  return "";
}

// What an event tells to whoever waits for it, which may have left.
struct Waiting {
  std::mutex mutex;
  std::condition_variable changed;
  bool happened = false;
  PluginError* error = nullptr;
};

void happened(PluginError* error, void* context) {
  std::unique_ptr<std::shared_ptr<Waiting>> waiting(
      static_cast<std::shared_ptr<Waiting>*>(context));
  std::lock_guard lock((*waiting)->mutex);
  (*waiting)->happened = true;
  (*waiting)->error = error;
  (*waiting)->changed.notify_all();
}

}  // namespace

Plugin::Plugin(const std::filesystem::path& path) : path_(path), api_(table_of(path)) {
  require_usable(path_, api_);
  for (Slot slot : needed)
    if (!has(slot))
      unusable(path_,
               fmt::format("the plugin lacks function {} of the table", static_cast<size_t>(slot)));
  Arguments<NoArguments> none;
  call(Slot::plugin_initialize, none, "the plugin cannot be initialised");
  read_attributes();
}

bool Plugin::has(Slot slot) const {
  const size_t number = static_cast<size_t>(slot);
  return offsetof(Api, functions) + number * sizeof(void*) <= api_->head.struct_size &&
         api_->functions[number - 1] != nullptr;
}

PluginError* Plugin::call_raw(Slot slot, void* arguments) const {
  if (!has(slot))
    unusable(path_,
             fmt::format("the plugin lacks function {} of the table", static_cast<size_t>(slot)));
  void* function = api_->functions[static_cast<size_t>(slot) - 1];
  return reinterpret_cast<PluginError* (*)(void*)>(function)(arguments);
}

std::optional<Failure> Plugin::failure_of(PluginError* error) const {
  if (error == nullptr) return {};
  auto function = [&](Slot slot) { return api_->functions[static_cast<size_t>(slot) - 1]; };
  Arguments<ErrorMessageArguments> message;
  message->error = error;
  reinterpret_cast<void (*)(void*)>(function(Slot::error_message))(message.get());
  Arguments<ErrorCodeArguments> code;
  code->error = error;
  reinterpret_cast<PluginError* (*)(void*)>(function(Slot::error_code))(code.get());
  Failure failure{code->code,
                  message->text == nullptr ? "" : std::string(message->text, message->size)};
  Arguments<ErrorArguments> destroyed;
  destroyed->error = error;
  reinterpret_cast<void (*)(void*)>(function(Slot::error_destroy))(destroyed.get());
  return failure;
}

void Plugin::throw_failure(const Failure& failure, std::string_view what) const {
  ErrorParts parts{
      .message = std::string(what), .place = path_.string(), .notes = helpful_lines(failure.text)};
  if (failure.status != status_resource_exhausted) throw Error("H604", std::move(parts));
  parts.message += ": the device has no memory left";
  parts.help = "a smaller batch needs less; --memory SIZE has a step cut so that it fits";
  throw Error("H401", std::move(parts));
}

void Plugin::destroy(Slot slot, void* object) const {
  if (object == nullptr) return;
  Arguments<ObjectArguments> arguments;
  arguments->object = object;
  // What cannot be destroyed is left behind: nobody could do anything about it.
  failure_of(call_raw(slot, arguments.get()));
}

std::string Plugin::text(Slot slot, void* object) const {
  Arguments<TextArguments> arguments;
  arguments->object = object;
  call(slot, arguments, "the plugin does not say what it is");
  return arguments->text == nullptr ? "" : std::string(arguments->text, arguments->size);
}

size_t Plugin::count(Slot slot, void* object) const {
  Arguments<CountArguments> arguments;
  arguments->object = object;
  call(slot, arguments, "the plugin does not count the results of a program");
  return arguments->value;
}

void* Plugin::pointer(Slot slot, void* object) const {
  Arguments<PointerArguments> arguments;
  arguments->object = object;
  call(slot, arguments, "the plugin does not give an object");
  return arguments->value;
}

void Plugin::await(Event* event, std::string_view what) const {
  if (event == nullptr) return;
  auto waiting = std::make_shared<Waiting>();
  Arguments<OnReadyArguments> arguments;
  arguments->event = event;
  arguments->callback = happened;
  arguments->context = new std::shared_ptr<Waiting>(waiting);
  call(Slot::event_on_ready, arguments, what);
  std::unique_lock lock(waiting->mutex);
  if (!waiting->changed.wait_for(lock, patience(), [&] { return waiting->happened; }))
    throw Error("H603",
                {.message = fmt::format("{}: no answer within {:.3g} s", what,
                                        static_cast<double>(patience().count()) / 1000),
                 .place = path_.string(),
                 .help = "HORNBEAM_PJRT_PATIENCE is the number of seconds that a device may take"});
  destroy(Slot::event_destroy, event);
  if (auto failure = failure_of(waiting->error)) throw_failure(*failure, what);
}

void Plugin::read_attributes() {
  if (!has(Slot::plugin_attributes)) return;
  Arguments<AttributesArguments> arguments;
  if (try_call(Slot::plugin_attributes, arguments)) return;
  for (size_t i = 0; i < arguments->count; ++i) {
    const NamedValue& value = arguments->attributes[i];
    attributes_[std::string(value.name, value.name_size)] = value_text(value);
  }
}

namespace {

struct LoadedPlugins {
  std::mutex mutex;
  std::map<std::filesystem::path, std::unique_ptr<Plugin>> by_path;
};

// Never destroyed: plugins have threads that outlive main().
LoadedPlugins& loaded_plugins() {
  static auto* plugins = new LoadedPlugins;
  return *plugins;
}

}  // namespace

const Plugin& plugin_at(const std::filesystem::path& path) {
  LoadedPlugins& plugins = loaded_plugins();
  std::lock_guard lock(plugins.mutex);
  std::unique_ptr<Plugin>& plugin = plugins.by_path[path];
  if (plugin == nullptr) plugin = std::make_unique<Plugin>(path);
  return *plugin;
}

bool is_loaded(const std::filesystem::path& path) {
  LoadedPlugins& plugins = loaded_plugins();
  std::lock_guard lock(plugins.mutex);
  return plugins.by_path.contains(path);
}

std::vector<std::string> helpful_lines(std::string_view text) {
  constexpr size_t most = 3, longest = 400;
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < most) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.find("Failed to parse using StableHLO") != line.npos) continue;
    lines.emplace_back(line.substr(0, longest));
  }
  return lines;
}

}  // namespace hornbeam::pjrt
