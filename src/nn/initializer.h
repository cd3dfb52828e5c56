// Initializers: the first values of weights, drawn from a counter-based stream: one seed, one
// result.
#pragma once

#include <memory>

#include "base/rng.h"
#include "base/tensor.h"
#include "nn/object.h"

namespace hornbeam {

class Initializer : public KerasObject {
 public:
  // A float32 tensor of that shape.
  virtual Tensor draw(const Shape& shape, Random& random) const = 0;
};
using InitializerPointer = std::shared_ptr<const Initializer>;

const ObjectTable<Initializer>& initializers();
InitializerPointer initializer(std::string_view name);  // with its defaults; H115

// Inputs and outputs that a weight connects, from its raw shape as Keras counts them.
struct Fans {
  double in, out;
};
Fans fans_of(const Shape& shape);

}  // namespace hornbeam
