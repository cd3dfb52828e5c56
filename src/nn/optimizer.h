// Optimizers: formulas for the new value of a weight from its gradient, its slots and the step
// number.
#pragma once

#include <optional>

#include "ir/builder.h"
#include "nn/object.h"

namespace hornbeam {

// What an update sees and gives for one weight.
struct Rule {
  Expr weight, gradient;
  Exprs slots;         // in the order of Optimizer::slots; replaced by their new values
  Expr learning_rate;  // float32 scalar
  Expr iteration;      // float32 scalar: the number of this step, counted from 1
};

// A weight to train, as the optimizer sees it in the graph.
struct Trained {
  Expr weight, gradient;
  Exprs slots;
};

class Optimizer : public KerasObject {
 public:
  double learning_rate = 0.001;
  std::optional<double> weight_decay, clipnorm, global_clipnorm, clipvalue;

  // The slots of one weight, by name; each has the weight's shape and starts at zero.
  virtual std::vector<std::string> slots() const = 0;
  // How many of them, from the first, Keras stores weight by weight (momentum, velocity, momentum,
  // velocity …); each of the others follows for all weights together.
  virtual size_t stored_together() const { return slots().size(); }
  virtual Expr update(Rule& rule) const = 0;  // the new weight

  // The new weights and slots after one step: clipping, weight decay, update, in Keras' order.
  std::vector<Trained> apply(std::vector<Trained> weights, Expr learning_rate,
                             Expr iteration) const;

 protected:
  void common_fields(Fields& f);

 private:
  void clip(std::vector<Trained>& weights) const;
  std::string name_;
};
using OptimizerPointer = std::shared_ptr<const Optimizer>;

const ObjectTable<Optimizer>& optimizers();
OptimizerPointer optimizer_by_name(const Json& form, const std::string& place);

}  // namespace hornbeam
