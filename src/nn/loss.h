// Losses: formulas that give one value a sample (or a sample and position).
#pragma once

#include <optional>

#include "ir/builder.h"
#include "nn/object.h"
#include "nn/sample_weights.h"

namespace hornbeam {

// How one value a sample becomes one number: divided by the number of samples (and positions), by
// the sum of the sample weights, or not at all.
enum class Reduction { mean, sum, mean_with_sample_weight };

class Loss : public KerasObject {
 public:
  // target and prediction: (batch, …); the result lacks the last axis.
  virtual Expr values(Expr target, Expr prediction) const = 0;
  // Integer class numbers instead of one column for each class.
  virtual bool takes_class_numbers() const { return false; }
  // Targets of this number count nowhere, neither in the sum nor in the divisor.
  virtual std::optional<int64_t> ignored_class() const { return std::nullopt; }
  virtual bool takes_one_hot() const { return false; }
  virtual bool takes_probabilities() const { return false; }  // targets from 0 to 1
  Reduction reduction() const { return reduction_; }

 protected:
  // `name` and `reduction`, which every loss has.
  void common_fields(Fields& f);

 private:
  std::string name_;
  Reduction reduction_ = Reduction::mean;
};
using LossPointer = std::shared_ptr<const Loss>;

const ObjectTable<Loss>& losses();
LossPointer loss_by_name(const Json& form, const std::string& place);

// The part that a slice has in the loss of its batch; the parts of all slices add up to the loss.
// `values` are those of the loss for the fitted `target`.
Expr reduced_loss(const Loss& loss, Expr values, Expr target, const SampleWeights& weights);

// The target as the loss wants it for a prediction of that shape: float32, or int32 class numbers;
// class numbers become one-hot rows where they are wanted so; an axis of extent 1 at the end is
// added or dropped. Throws H205, naming `place` (the output's layer) and both shapes, when they do
// not fit.
Expr fitted_target(const Loss& loss, Expr target, Expr prediction, const std::string& place);

}  // namespace hornbeam
