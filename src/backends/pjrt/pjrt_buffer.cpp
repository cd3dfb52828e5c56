#include "backends/pjrt/pjrt_buffer.h"

#include <cstring>

#include "base/error.h"

namespace hornbeam {

PjrtBuffer::PjrtBuffer(const pjrt::DeviceClient& its_client, Type its_type, Role role, int devices)
    : client(its_client), whole(std::move(its_type)), part(whole) {
  if (role == Role::batch && part.shape.rank() > 0) {
    check(part.shape[0] % devices == 0, "a batch is a multiple of the devices");
    part.shape[0] /= devices;
  }
  arrays.resize(static_cast<size_t>(devices));
}

void PjrtBuffer::fill(std::span<const std::byte> bytes) {
  const size_t size = static_cast<size_t>(part.bytes());
  for (size_t device = 0; device < arrays.size(); ++device)
    arrays[device] = client.upload(bytes.subspan(cut() ? device * size : 0, size), part, device);
  read_ahead_.clear();
}

void PjrtBuffer::require_content() {
  if (arrays[0]) return;
  fill(std::vector<std::byte>(static_cast<size_t>(whole.bytes())));
}

void PjrtBuffer::replace(std::vector<pjrt::ArrayHandle> with) {
  arrays = std::move(with);
  read_ahead_.clear();
}

void PjrtBuffer::read_device(size_t device, std::span<std::byte> bytes) const {
  if (arrays[device])
    client.download(arrays[device], part, bytes);
  else
    std::memset(bytes.data(), 0, bytes.size());
}

void PjrtBuffer::read_all(std::span<std::byte> bytes) const {
  const size_t size = static_cast<size_t>(part.bytes());
  const size_t pieces = cut() ? arrays.size() : 1;
  for (size_t device = 0; device < pieces; ++device)
    read_device(device, bytes.subspan(device * size, size));
}

void PjrtBuffer::read(int64_t first, std::span<std::byte> bytes) const {
  const size_t size = static_cast<size_t>(whole.bytes()), begin = static_cast<size_t>(first);
  if (bytes.size() == size) return read_all(bytes);
  if (read_ahead_.empty()) {
    read_ahead_.resize(size);
    read_all(read_ahead_);
  }
  std::memcpy(bytes.data(), read_ahead_.data() + begin, bytes.size());
  if (begin + bytes.size() == size) read_ahead_ = {};
}

PjrtBuffer& pjrt_buffer(DeviceBuffer& buffer) {
  auto* found = dynamic_cast<PjrtBuffer*>(&buffer);
  check(found != nullptr, "the buffer is one of a PJRT device");
  return *found;
}

}  // namespace hornbeam
