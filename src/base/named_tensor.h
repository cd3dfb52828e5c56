// A tensor with the name it has in a file or in a model.
#pragma once

#include <string>

#include "base/tensor.h"

namespace hornbeam {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

}  // namespace hornbeam
