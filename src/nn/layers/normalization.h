// Batch normalisation.
#pragma once

#include "nn/layer.h"

namespace hornbeam {

// gamma, beta, moving_mean, moving_variance: (channels). Training normalises with the statistics of
// the slice and moves the averages towards them (biased variance, as Keras 3); inference, and a
// layer that is not trainable, uses the averages.
class BatchNormalization : public Layer {
 public:
  int64_t axis = -1;
  double momentum = 0.99, epsilon = 1e-3;
  bool center = true, scale = true;
  InitializerPointer beta_initializer = initializer("zeros");
  InitializerPointer gamma_initializer = initializer("ones");
  InitializerPointer moving_mean_initializer = initializer("zeros");
  InitializerPointer moving_variance_initializer = initializer("ones");
  RegularizerPointer beta_regularizer, gamma_regularizer;
  ConstraintPointer beta_constraint, gamma_constraint;

  std::string_view class_name() const override { return "BatchNormalization"; }
  void fields(Fields& f) override;
  Mask mask() const override { return trainable ? Mask::used : Mask::passed; }
  void build(std::span<const Shape> inputs) override;
  Exprs call(Trace& trace, std::span<const Expr> inputs) override;

 private:
  void move(Trace& trace, std::string_view weight, Expr statistic);
};

}  // namespace hornbeam
