// Layers that work element by element, on one input or on several: activations and merges.
#pragma once

#include <optional>

#include "nn/layer.h"
#include "nn/layers/fields.h"

namespace hornbeam {

// x from max_value on: max_value; above threshold: x; else negative_slope * (x - threshold).
class ReLU : public Layer {
 public:
  std::optional<double> max_value;
  double negative_slope = 0, threshold = 0;

  std::string_view class_name() const override { return "ReLU"; }
  void fields(Fields& f) override;
  Mask mask() const override { return Mask::passed; }
  Exprs call(Trace& trace, std::span<const Expr> inputs) override;
};

class LeakyReLU : public Layer {
 public:
  double negative_slope = 0.3;

  std::string_view class_name() const override { return "LeakyReLU"; }
  void fields(Fields& f) override;
  Mask mask() const override { return Mask::passed; }
  Exprs call(Trace& trace, std::span<const Expr> inputs) override;
};

class ELU : public Layer {
 public:
  double alpha = 1;

  std::string_view class_name() const override { return "ELU"; }
  void fields(Fields& f) override;
  Mask mask() const override { return Mask::passed; }
  Exprs call(Trace& trace, std::span<const Expr> inputs) override;
};

// Over one axis, or over several together.
class Softmax : public Layer {
 public:
  OneOrMore<int64_t> axis{{-1}};

  std::string_view class_name() const override { return "Softmax"; }
  void fields(Fields& f) override;
  Mask mask() const override { return Mask::used; }
  Exprs call(Trace& trace, std::span<const Expr> inputs) override;
};

// Folds its inputs with one operation, broadcasting as Keras does.
class Merge : public Layer {
 public:
  struct Kind {
    std::string_view name;
    Expr (*fold)(Expr a, Expr b);
    bool averaged = false;
  };
  explicit Merge(const Kind& kind) : kind_(kind) {}

  std::string_view class_name() const override { return kind_.name; }
  void fields(Fields& f) override { common_fields(f); }
  Mask mask() const override { return Mask::passed; }
  Exprs call(Trace& trace, std::span<const Expr> inputs) override;

 private:
  const Kind& kind_;
};
std::unique_ptr<Layer> make_add();
std::unique_ptr<Layer> make_subtract();
std::unique_ptr<Layer> make_multiply();
std::unique_ptr<Layer> make_average();
std::unique_ptr<Layer> make_maximum();
std::unique_ptr<Layer> make_minimum();

class Concatenate : public Layer {
 public:
  int64_t axis = -1;

  std::string_view class_name() const override { return "Concatenate"; }
  void fields(Fields& f) override;
  Mask mask() const override { return Mask::passed; }
  bool keeps_integers() const override { return true; }
  Exprs call(Trace& trace, std::span<const Expr> inputs) override;
};

}  // namespace hornbeam
