#include "runtime/backend.h"

#include <utility>

#include "base/error.h"

namespace hornbeam {

Buffer Backend::upload(const Tensor& tensor, Role role) {
  Buffer buffer = allocate({tensor.dtype(), tensor.shape()}, role);
  upload(tensor, *buffer);
  return buffer;
}

Buffer Backend::upload(Tensor&& tensor, Role role) {
  Buffer buffer = upload(std::as_const(tensor), role);
  tensor = Tensor();
  return buffer;
}

void Backend::download(const DeviceBuffer& buffer, Tensor& tensor) const {
  check(buffer.type() == Type{tensor.dtype(), tensor.shape()}, "download keeps the type");
  download(buffer, 0, {tensor.data(), tensor.bytes()});
}

Tensor Backend::download(const Buffer& buffer) const {
  Tensor tensor(buffer->type().dtype, buffer->type().shape);
  download(*buffer, tensor);
  return tensor;
}

}  // namespace hornbeam
