// A PJRT plugin: a shared library with a table of functions, and the errors that they give.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/pjrt/abi.h"

namespace hornbeam::pjrt {

// What a plugin says when a call fails. The numbers of status are those of absl.
struct Failure {
  int status = 0;
  std::string text;
};
inline constexpr int status_resource_exhausted = 8;

class Plugin {
 public:
  // Loads and initialises the library. Throws H601 when it cannot be loaded or is no plugin, H602
  // when its version or table cannot be used, H604 when it fails to initialise.
  explicit Plugin(const std::filesystem::path& path);
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  const std::filesystem::path& path() const { return path_; }
  int minor_version() const { return api_->version.minor; }
  // What the plugin tells of itself: "stablehlo_current_version": "1.20.0".
  const std::map<std::string, std::string>& attributes() const { return attributes_; }

  bool has(Slot slot) const;

  // Calls a function; nothing when it went well. Throws H602 for one that the table lacks.
  template <class Block>
  std::optional<Failure> try_call(Slot slot, Arguments<Block>& arguments) const {
    return failure_of(call_raw(slot, arguments.get()));
  }
  // The same; throws H604 with the text of the plugin, or H401 when the device has no memory left.
  template <class Block>
  void call(Slot slot, Arguments<Block>& arguments, std::string_view what) const {
    if (auto failure = try_call(slot, arguments)) throw_failure(*failure, what);
  }

  // For functions that take one object: destroys it, or asks for something of it.
  void destroy(Slot slot, void* object) const;
  std::string text(Slot slot, void* object) const;
  size_t count(Slot slot, void* object) const;
  void* pointer(Slot slot, void* object) const;

  // Waits until the event has happened and destroys it. Throws its error, and H603 when nothing
  // happens for as long as patience() allows.
  void await(Event* event, std::string_view what) const;

 private:
  PluginError* call_raw(Slot slot, void* arguments) const;
  std::optional<Failure> failure_of(PluginError* error) const;
  [[noreturn]] void throw_failure(const Failure& failure, std::string_view what) const;
  void read_attributes();

  std::filesystem::path path_;
  const Api* api_ = nullptr;
  std::map<std::string, std::string> attributes_;
};

// The plugin of that path, loaded with the first call and never unloaded: plugins have threads and
// registries that do not survive it.
const Plugin& plugin_at(const std::filesystem::path& path);
bool is_loaded(const std::filesystem::path& path);

// The lines of a plugin's text that help, at most three: without the one that every text with a
// fault ends with ("Failed to parse using StableHLO …").
std::vector<std::string> helpful_lines(std::string_view text);

}  // namespace hornbeam::pjrt
