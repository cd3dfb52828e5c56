#include "backends/pjrt/compile_options.h"

#include <cstdint>

namespace hornbeam::pjrt {
namespace {

// The wire format of protocol buffers: a key (number of the field, kind), then the value.
class Message {
 public:
  void number(int field, uint64_t value) {
    variable_length(static_cast<uint64_t>(field) << 3);
    variable_length(value);
  }
  void message(int field, const Message& value) {
    variable_length(static_cast<uint64_t>(field) << 3 | 2);
    variable_length(value.bytes_.size());
    bytes_ += value.bytes_;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void variable_length(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

// Fields of ExecutableBuildOptionsProto and CompileOptionsProto.
constexpr int device_ordinal = 1, num_replicas = 4, num_partitions = 5;
constexpr int executable_build_options = 3;

}  // namespace

std::string compile_options(int devices) {
  Message build;
  build.number(device_ordinal, static_cast<uint64_t>(-1));  // none in particular
  // Plugins abort when either of these is missing.
  build.number(num_replicas, static_cast<uint64_t>(devices));
  build.number(num_partitions, 1);
  Message all;
  all.message(executable_build_options, build);
  return all.bytes();
}

}  // namespace hornbeam::pjrt
