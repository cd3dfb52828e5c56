// A tensor that is read in parts, wherever its numbers lie: in this process or on a device.
#pragma once

#include <functional>

#include "base/tensor.h"

namespace hornbeam {

struct TensorSource {
  DType dtype = DType::float32;
  Shape shape = {};
  // Fills `part` with the row-major bytes from the byte `first` on.
  std::function<void(int64_t first, std::span<std::byte> part)> read = {};
};

TensorSource source_of(const Tensor& tensor);  // looks at the tensor, which must outlive it
TensorSource source_owning(Tensor tensor);

}  // namespace hornbeam
