// A buffer of the CPU backend: a row-major block of memory of its own or a part of an arena.
#pragma once

#include <memory>

#include "backends/cpu/memory.h"
#include "runtime/backend.h"

namespace hornbeam {

class CpuBuffer : public DeviceBuffer {
 public:
  CpuBuffer(Type type, std::shared_ptr<Memory> memory, int64_t offset)
      : type_(std::move(type)), memory_(std::move(memory)), offset_(offset) {}

  const Type& type() const override { return type_; }
  std::byte* data() const { return memory_->data() + offset_; }

 private:
  Type type_;
  std::shared_ptr<Memory> memory_;
  int64_t offset_;
};

// The buffer as one of this backend (H901 when it is another's).
const CpuBuffer& cpu_buffer(const DeviceBuffer& buffer);

}  // namespace hornbeam
