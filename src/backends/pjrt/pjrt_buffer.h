// A buffer as arrays in the memory of devices.
#pragma once

#include <cstddef>
#include <vector>

#include "backends/pjrt/client.h"
#include "ir/graph.h"
#include "runtime/backend.h"

namespace hornbeam {

struct PjrtBuffer : DeviceBuffer {
  PjrtBuffer(const pjrt::DeviceClient& its_client, Type its_type, Role role, int devices);

  const Type& type() const override { return whole; }
  bool cut() const { return part != whole; }
  // Puts its bytes on the devices.
  void fill(std::span<const std::byte> bytes);
  // With zeros, when nothing was put there yet.
  void require_content();
  // New arrays take the place of those that it has, one for each device.
  void replace(std::vector<pjrt::ArrayHandle> with);
  // The bytes from `first` on. Those who read it piece by piece have it copied from the device
  // once.
  void read(int64_t first, std::span<std::byte> bytes) const;

  const pjrt::DeviceClient& client;
  Type whole, part;  // part: on each device
  std::vector<pjrt::ArrayHandle> arrays;

 private:
  void read_device(size_t device, std::span<std::byte> bytes) const;
  void read_all(std::span<std::byte> bytes) const;

  mutable std::vector<std::byte> read_ahead_;
};

PjrtBuffer& pjrt_buffer(DeviceBuffer& buffer);

}  // namespace hornbeam
