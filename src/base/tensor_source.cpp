#include "base/tensor_source.h"

#include <cstring>
#include <utility>

namespace hornbeam {

TensorSource source_of(const Tensor& tensor) {
  return {tensor.dtype(), tensor.shape(), [&tensor](int64_t first, std::span<std::byte> part) {
            std::memcpy(part.data(), tensor.data() + first, part.size());
          }};
}

TensorSource source_owning(Tensor tensor) {
  auto owned = std::make_shared<const Tensor>(std::move(tensor));
  TensorSource source = source_of(*owned);
  source.read = [owned, read = source.read](int64_t first, std::span<std::byte> part) {
    read(first, part);
  };
  return source;
}

}  // namespace hornbeam
