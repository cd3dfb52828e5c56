#include "backends/pjrt/plugin_device.h"

#include <fmt/format.h>

#include <charconv>

#include "base/error.h"

namespace hornbeam::pjrt {
namespace {

constexpr std::string_view path_prefix = "pjrt:";
constexpr int most_devices = 4096;

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || failure != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

int device_count(std::string_view text) {
  auto count = number<int>(text);
  if (!count || *count < 1 || *count > most_devices)
    throw Error("H302", {.message = fmt::format("'{}' is no number of devices", text),
                         .place = "--device",
                         .help = "cpu-xla#4 asks for four devices of that plugin"});
  return *count;
}

ClientOption setting(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == text.npos)
    throw Error("H302", {.message = fmt::format("'{}' is no setting", text),
                         .place = "--plugin-option",
                         .help = "settings of plugins are written NAME=VALUE"});
  ClientOption option{.name = text.substr(0, equals), .value = text.substr(equals + 1)};
  const std::string value = std::get<std::string>(option.value);
  if (value == "true" || value == "false")
    option.value = value == "true";
  else if (auto whole = number<int64_t>(value))
    option.value = *whole;
  else if (auto real = number<double>(value))
    option.value = *real;
  return option;
}

std::filesystem::path path_of(const PluginDevice& device) {
  if (!device.path.empty()) return device.path;
  if (auto found = find_plugin(*device.kind, process_environment())) return *found;
  throw Error("H601", {.message = fmt::format("there is no plugin for {} ({})", device.kind->name,
                                              device.kind->title),
                       .place = "--device",
                       .help = fmt::format("pip install {} brings one; {} names another place",
                                           device.kind->package, device.kind->variables[0])});
}

}  // namespace

std::optional<PluginDevice> plugin_device(std::string_view name) {
  PluginDevice device{.name = std::string(name)};
  std::string_view base = name.substr(0, name.rfind('#'));
  device.kind = find_plugin_kind(base);
  if (base.starts_with(path_prefix)) device.path = base.substr(path_prefix.size());
  if (device.kind == nullptr && device.path.empty()) return {};
  if (base.size() < name.size()) device.devices = device_count(name.substr(base.size() + 1));
  return device;
}

PjrtOptions options_for(const PluginDevice& device, const PluginSettings& settings) {
  PjrtOptions options{.name = device.name,
                      .plugin = path_of(device),
                      .replicas = settings.replicas,
                      .devices = device.devices,
                      .cache = settings.cache};
  if (device.kind != nullptr && device.kind->devices_by_option)
    options.client.push_back({"cpu_device_count", int64_t{device.devices.value_or(1)}});
  for (const std::string& text : settings.settings) options.client.push_back(setting(text));
  return options;
}

}  // namespace hornbeam::pjrt
