#include "nn/layers/kernel.h"

#include "nn/layers/fields.h"

namespace hornbeam {

void KernelLayer::kernel_fields(Fields& f) {
  activation_field(f, "activation", activation);
  f("use_bias", use_bias);
  object_field(f, "kernel_initializer", kernel_initializer, initializers());
  object_field(f, "bias_initializer", bias_initializer, initializers());
  object_field(f, "kernel_regularizer", kernel_regularizer, regularizers());
  object_field(f, "bias_regularizer", bias_regularizer, regularizers());
  object_field(f, "kernel_constraint", kernel_constraint, constraints());
  object_field(f, "bias_constraint", bias_constraint, constraints());
  f.neutral("lora_rank", {nullptr});
}

void KernelLayer::declare_kernel(Shape shape, int64_t outputs) {
  declare("kernel", std::move(shape), kernel_initializer, kernel_regularizer).constraint =
      kernel_constraint;
  if (use_bias)
    declare("bias", {outputs}, bias_initializer, bias_regularizer).constraint = bias_constraint;
}

}  // namespace hornbeam
