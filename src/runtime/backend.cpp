#include "runtime/backend.h"

namespace hornbeam {

Buffer Backend::upload(const Tensor& tensor) {
  Buffer buffer = allocate({tensor.dtype(), tensor.shape()});
  upload(tensor, *buffer);
  return buffer;
}

Tensor Backend::download(const Buffer& buffer) {
  Tensor tensor(buffer->type().dtype, buffer->type().shape);
  download(*buffer, tensor);
  return tensor;
}

}  // namespace hornbeam
