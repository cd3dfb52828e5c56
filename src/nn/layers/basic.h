// Layers of single tensors without spatial meaning: inputs, dense products, activations, shapes.
#pragma once

#include <optional>

#include "nn/activations.h"
#include "nn/layer.h"
#include "nn/layers/fields.h"
#include "nn/layers/kernel.h"

namespace hornbeam {

// An input of the model. Its tensor is given from outside.
class InputLayer : public Layer {
 public:
  std::optional<Shape> shape;  // without the batch; -1 where any extent goes
  DType dtype = DType::float32;

  std::string_view class_name() const override { return "InputLayer"; }
  void fields(Fields& f) override;
  bool keeps_integers() const override { return true; }
  bool autocast() const override { return false; }
  Exprs call(Trace& trace, std::span<const Expr> inputs) override;  // converts to dtype
};

// activation(x kernel + bias): kernel (in, units), bias (units), on the last axis.
class Dense : public KernelLayer {
 public:
  int64_t units = 0;

  std::string_view class_name() const override { return "Dense"; }
  void fields(Fields& f) override;
  Mask mask() const override { return Mask::passed; }
  void build(std::span<const Shape> inputs) override;
  Exprs call(Trace& trace, std::span<const Expr> inputs) override;
};

class ActivationLayer : public Layer {
 public:
  Activation activation;

  std::string_view class_name() const override { return "Activation"; }
  void fields(Fields& f) override;
  Mask mask() const override { return Mask::passed; }
  Exprs call(Trace& trace, std::span<const Expr> inputs) override;
};

class Flatten : public Layer {
 public:
  std::string data_format = "channels_last";

  std::string_view class_name() const override { return "Flatten"; }
  void fields(Fields& f) override;
  bool keeps_integers() const override { return true; }
  Exprs call(Trace& trace, std::span<const Expr> inputs) override;
};

class Reshape : public Layer {
 public:
  std::vector<int64_t> target_shape;  // without the batch; one may be -1

  std::string_view class_name() const override { return "Reshape"; }
  void fields(Fields& f) override;
  bool keeps_integers() const override { return true; }
  Exprs call(Trace& trace, std::span<const Expr> inputs) override;

 private:
  Shape shape_for(int64_t elements) const;  // H114, H701 when there is none
};

class Dropout : public Layer {
 public:
  double rate = 0;
  Json seed;  // Keras'; here the seed of the run decides

  std::string_view class_name() const override { return "Dropout"; }
  void fields(Fields& f) override;
  Mask mask() const override { return Mask::passed; }
  Exprs call(Trace& trace, std::span<const Expr> inputs) override;
};

// Rows of a table (input_dim, output_dim); indices of any dtype, floats are cut to whole numbers.
class Embedding : public Layer {
 public:
  int64_t input_dim = 0, output_dim = 0;
  bool mask_zero = false;  // nn/masks.h
  InitializerPointer embeddings_initializer = initializer("uniform");
  RegularizerPointer embeddings_regularizer;
  ConstraintPointer embeddings_constraint;

  std::string_view class_name() const override { return "Embedding"; }
  void fields(Fields& f) override;
  void build(std::span<const Shape> inputs) override;
  bool keeps_integers() const override { return true; }
  bool autocast() const override { return false; }  // indices
  Exprs call(Trace& trace, std::span<const Expr> inputs) override;
};

// x * scale + offset, each a number or a list with one for each place of the last axis.
class Rescaling : public Layer {
 public:
  OneOrMore<double> scale{{1}}, offset{{0}};

  std::string_view class_name() const override { return "Rescaling"; }
  void fields(Fields& f) override;
  Mask mask() const override { return Mask::passed; }
  Exprs call(Trace& trace, std::span<const Expr> inputs) override;
};

}  // namespace hornbeam
