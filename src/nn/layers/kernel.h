// What layers share that multiply by a kernel: its settings, a bias, an activation.
#pragma once

#include "nn/activations.h"
#include "nn/layer.h"

namespace hornbeam {

class KernelLayer : public Layer {
 public:
  Activation activation;
  bool use_bias = true;
  InitializerPointer kernel_initializer = initializer("glorot_uniform");
  InitializerPointer bias_initializer = initializer("zeros");
  RegularizerPointer kernel_regularizer, bias_regularizer;
  ConstraintPointer kernel_constraint, bias_constraint;

 protected:
  void kernel_fields(Fields& f);
  // Declares the weights; the bias has one number for each output.
  void declare_kernel(Shape shape, int64_t outputs);
};

}  // namespace hornbeam
