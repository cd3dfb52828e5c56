// Our own declarations of the part of the PJRT C ABI that a training client needs.
//
// The ABI is a table of functions, each of which takes one block of arguments and gives an error or
// null. Its rule since version 0.57 (2024-11): fields and functions are only ever appended. So slot
// numbers, the order of fields and the values of enumerations below hold for every later version;
// the names are ours. Source: openxla/xla, xla/pjrt/c/pjrt_c_api.h and its CHANGELOG.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hornbeam::pjrt {

inline constexpr int abi_major = 0;
inline constexpr int abi_minor_oldest = 57;

// Objects of the plugin: never looked into.
struct PluginError;
struct Client;
struct Device;
struct Event;
struct Array;
struct Program;
struct LoadedProgram;

struct Head {
  size_t struct_size;
  void* extension_start;
};

struct Version {
  Head head;
  int major, minor;
};

struct Api {
  Head head;
  Version version;
  void* functions[1];  // as many as struct_size tells
};

// Numbers of functions, counted from 1.
enum class Slot : size_t {
  error_destroy = 1,
  error_message = 2,
  error_code = 3,
  plugin_initialize = 4,
  plugin_attributes = 5,
  event_destroy = 6,
  event_is_ready = 7,
  event_error = 8,
  event_on_ready = 10,
  client_create = 11,
  client_destroy = 12,
  client_platform_name = 13,
  client_platform_version = 15,
  client_addressable_devices = 17,
  client_compile = 21,
  client_upload = 23,  // BufferFromHostBuffer
  description_kind = 27,
  device_description = 30,
  device_memory_stats = 35,
  program_destroy = 41,
  program_outputs = 45,
  program_serialize = 50,
  loaded_destroy = 51,
  loaded_program = 52,
  execute = 56,
  deserialize_and_load = 57,
  array_destroy = 59,
  array_download = 71,  // ToHostBuffer
  program_memory = 97,  // GetCompiledMemoryStats
};

enum class ElementType : int {
  boolean = 1,
  int32 = 4,
  int64 = 5,
  uint8 = 6,
  float32 = 11,
  float64 = 12,
  bfloat16 = 13
};

enum class OptionType : int { text = 0, integer = 1, integers = 2, real = 3, boolean = 4 };

// Stands in arrays, so that its size is a part of the ABI.
struct NamedValue {
  Head head;
  const char* name;
  size_t name_size;
  OptionType type;
  union {
    const char* text;
    int64_t integer;
    const int64_t* integers;
    float real;
    bool boolean;
  };
  size_t value_size;  // of a text or a list; else 1
};
static_assert(sizeof(NamedValue) == 56);

// --- blocks of arguments: what goes in, then what comes out ---

struct ErrorArguments {
  Head head;
  PluginError* error;
};
struct ErrorMessageArguments {
  Head head;
  PluginError* error;
  const char* text;
  size_t size;
};
struct ErrorCodeArguments {
  Head head;
  PluginError* error;
  int code;
};
struct NoArguments {
  Head head;
};
struct AttributesArguments {
  Head head;
  const NamedValue* attributes;
  size_t count;
};
// Of functions that take one object and give nothing.
struct ObjectArguments {
  Head head;
  void* object;
};
struct TextArguments {
  Head head;
  void* object;
  const char* text;
  size_t size;
};
struct CountArguments {
  Head head;
  void* object;
  size_t value;
};
struct PointerArguments {
  Head head;
  void* object;
  void* value;
};
// The callback owns the error, which is null when all went well.
struct OnReadyArguments {
  Head head;
  Event* event;
  void (*callback)(PluginError* error, void* context);
  void* context;
};
struct ClientCreateArguments {
  Head head;
  const NamedValue* options;
  size_t count;
  void* key_value[4];  // for clients of several processes
  Client* client;
  void* key_value_try[2];
};
struct DevicesArguments {
  Head head;
  Client* client;
  Device* const* devices;
  size_t count;
};
struct ProgramText {
  Head head;
  const char* code;
  size_t code_size;
  const char* format;
  size_t format_size;
};
struct CompileArguments {
  Head head;
  Client* client;
  const ProgramText* program;
  const char* options;
  size_t options_size;
  LoadedProgram* loaded;
};
enum class HostMemory : int { unchanged_during_call = 0 };
struct UploadArguments {
  Head head;
  Client* client;
  const void* data;
  ElementType type;
  const int64_t* extents;
  size_t rank;
  const int64_t* byte_strides;
  size_t byte_strides_count;
  HostMemory host_memory;
  Device* device;
  void* memory;
  void* device_layout;
  Event* done_with_host;
  Array* array;
};
struct TiledLayout {
  Head head;
  const int64_t* minor_to_major;
  size_t rank;
  const int64_t* tile_extents;
  const size_t* tile_ranks;
  size_t tiles;
};
struct MemoryLayout {
  Head head;
  TiledLayout tiled;
  int kind;  // 0: tiled
};
struct DownloadArguments {
  Head head;
  Array* array;
  MemoryLayout* host_layout;
  void* target;
  size_t target_size;
  Event* done;
};
struct ExecuteOptions {
  Head head;
  void* send_callbacks;
  void* receive_callbacks;
  size_t sends, receives;
  int launch_id;
  const int64_t* not_donated;
  size_t not_donated_count;
};
struct ExecuteArguments {
  Head head;
  LoadedProgram* loaded;
  ExecuteOptions* options;
  Array* const* const* inputs;  // [device][argument]
  size_t devices;
  size_t arguments;
  Array** const* outputs;  // [device][output], filled by the call
  Event** done;            // one a device
  Device* device;
};
struct SerializeArguments {
  Head head;
  Program* program;
  const char* bytes;
  size_t size;
  void* holder;
  void (*release)(void* holder);
};
struct DeserializeArguments {
  Head head;
  Client* client;
  const char* bytes;
  size_t size;
  LoadedProgram* loaded;
  const char* options;
  size_t options_size;
  void* load_options;
};
struct ProgramMemoryArguments {
  Head head;
  Program* program;
  int64_t code, arguments, outputs, aliased, temporary;
  int64_t host[5];
  int64_t peak, total;
};
struct OptionalInteger {
  int64_t value;
  bool known;
};
struct DeviceMemoryArguments {
  Head head;
  Device* device;
  int64_t in_use;
  OptionalInteger peak, allocations, largest_allocation, limit;
};

static_assert(offsetof(ClientCreateArguments, client) == 64);
static_assert(offsetof(CompileArguments, loaded) == 48);
static_assert(offsetof(UploadArguments, array) == 112);
static_assert(offsetof(MemoryLayout, kind) == 72);
static_assert(offsetof(DownloadArguments, done) == 48);
static_assert(offsetof(ExecuteOptions, not_donated) == 56);
static_assert(offsetof(ExecuteArguments, device) == 72);
static_assert(offsetof(SerializeArguments, release) == 48);
static_assert(offsetof(DeserializeArguments, load_options) == 64);
static_assert(offsetof(ProgramMemoryArguments, peak) == 104);
static_assert(offsetof(DeviceMemoryArguments, limit) == 80);
static_assert(offsetof(Api, functions) == 40);

// A block with zeros behind it: a newer plugin reads "not given" in fields that we do not know, an
// older one ignores the rest. Plugins refuse blocks that are smaller than they expect.
template <class Block>
class Arguments {
 public:
  Arguments() { get()->head.struct_size = sizeof bytes_; }
  Block* get() { return reinterpret_cast<Block*>(bytes_); }
  Block* operator->() { return get(); }

 private:
  alignas(16) unsigned char bytes_[320] = {};
  static_assert(sizeof(Block) + 64 <= sizeof bytes_);
};

}  // namespace hornbeam::pjrt
