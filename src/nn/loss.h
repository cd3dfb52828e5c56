// Losses: formulas that give one value a sample (or a sample and position).
#pragma once

#include "ir/builder.h"
#include "nn/object.h"

namespace hornbeam {

class Loss : public KerasObject {
 public:
  // target and prediction: (batch, …); the result lacks the last axis.
  virtual Expr values(Expr target, Expr prediction) const = 0;
  // Integer class numbers instead of one column for each class.
  virtual bool takes_class_numbers() const { return false; }
  virtual bool takes_one_hot() const { return false; }

 protected:
  // `name` and `reduction`, which every loss has. Reductions other than the mean are refused.
  void common_fields(Fields& f);

 private:
  std::string name_;
};
using LossPointer = std::shared_ptr<const Loss>;

const ObjectTable<Loss>& losses();
LossPointer loss_by_name(const Json& form, const std::string& place);

// The target as the loss wants it for a prediction of that shape: float32, or int32 class numbers;
// class numbers become one-hot rows where they are wanted so; an axis of extent 1 at the end is
// added or dropped. Throws H205, naming `place` (the output's layer) and both shapes, when they do
// not fit.
Expr fitted_target(const Loss& loss, Expr target, Expr prediction, const std::string& place);

}  // namespace hornbeam
