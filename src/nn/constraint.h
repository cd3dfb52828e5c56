// Constraints: what a weight is changed to after every update, to keep it in bounds.
#pragma once

#include "ir/builder.h"
#include "nn/object.h"

namespace hornbeam {

class Constraint : public KerasObject {
 public:
  virtual Expr apply(Expr weight) const = 0;
};
using ConstraintPointer = std::shared_ptr<const Constraint>;

const ObjectTable<Constraint>& constraints();

}  // namespace hornbeam
