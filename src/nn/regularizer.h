// Penalties on weights, added to the loss once a batch.
#pragma once

#include "ir/builder.h"
#include "nn/object.h"

namespace hornbeam {

class Regularizer : public KerasObject {
 public:
  virtual Expr penalty(Expr weight) const = 0;  // a scalar
};
using RegularizerPointer = std::shared_ptr<const Regularizer>;

const ObjectTable<Regularizer>& regularizers();

}  // namespace hornbeam
