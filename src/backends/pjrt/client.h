// A client of a plugin: its devices, arrays in their memory, and programs compiled for them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "backends/pjrt/plugin.h"
#include "ir/type.h"

namespace hornbeam::pjrt {

// An object of a plugin, destroyed with this.
template <class Object, Slot destroy>
class Handle {
 public:
  Handle() = default;
  Handle(const Plugin& plugin, Object* object) : plugin_(&plugin), object_(object) {}
  Handle(Handle&& other) noexcept
      : plugin_(other.plugin_), object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(plugin_, other.plugin_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~Handle() {
    if (object_ != nullptr) plugin_->destroy(destroy, object_);
  }

  Object* get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  const Plugin* plugin_ = nullptr;
  Object* object_ = nullptr;
};

using ArrayHandle = Handle<Array, Slot::array_destroy>;
using ProgramHandle = Handle<Program, Slot::program_destroy>;
using LoadedHandle = Handle<LoadedProgram, Slot::loaded_destroy>;

// A setting that a plugin takes when a client is made.
struct ClientOption {
  std::string name;
  std::variant<std::string, int64_t, double, bool> value;
};
using ClientOptions = std::vector<ClientOption>;

// What a compiled program needs in the memory of each of its devices, in bytes.
struct ProgramMemory {
  int64_t arguments = 0, outputs = 0, aliased = 0, temporary = 0, code = 0;

  int64_t all() const { return arguments + outputs - aliased + temporary + code; }
};

using ArrayRows = std::vector<std::vector<Array*>>;  // [device][number]

class DeviceClient {
 public:
  // Throws H604 when there is no device.
  DeviceClient(const Plugin& plugin, const ClientOptions& options);
  DeviceClient(const DeviceClient&) = delete;
  DeviceClient& operator=(const DeviceClient&) = delete;
  ~DeviceClient();

  const Plugin& plugin() const { return plugin_; }
  std::string platform() const;  // "cpu", "cuda", "tpu"
  std::string version() const;   // of the platform
  size_t devices() const { return devices_.size(); }
  std::string device_kind(size_t device) const;
  // The bytes that a device may hold, where it tells.
  std::optional<int64_t> memory_limit(size_t device) const;

  // `text` is StableHLO, `options` compile_options().
  LoadedHandle compile(const std::string& text, const std::string& options) const;
  // Machine code to keep on disk, and back; nothing where the plugin cannot do it, or will not take
  // what it is given.
  std::optional<std::string> serialized(const LoadedHandle& program) const;
  LoadedHandle deserialized(const std::string& bytes) const;
  std::optional<ProgramMemory> memory_of(const LoadedHandle& program) const;
  size_t outputs_of(const LoadedHandle& program) const;

  // Copies `bytes`, row-major, into the memory of a device. They may change as soon as this
  // returns.
  ArrayHandle upload(std::span<const std::byte> bytes, const Type& type, size_t device) const;
  void download(const ArrayHandle& array, const Type& type, std::span<std::byte> target) const;

  // Starts a program on as many devices as there are rows of inputs, and gives its outputs, which
  // may be used at once, and for each device the event that it is done.
  std::vector<Event*> execute(const LoadedHandle& program, const ArrayRows& inputs,
                              ArrayRows& outputs) const;

 private:
  ProgramHandle program_of(const LoadedHandle& program) const;

  const Plugin& plugin_;
  Client* client_ = nullptr;
  std::vector<Device*> devices_;
};

}  // namespace hornbeam::pjrt
