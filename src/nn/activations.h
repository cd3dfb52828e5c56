// Keras' activation functions by their names.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ir/builder.h"
#include "nn/fields.h"

namespace hornbeam {

class Activation {
 public:
  Activation() = default;                                            // linear
  Activation(std::string_view name, const std::string& place = {});  // H115 for an unknown name

  // As Keras writes it: "silu" for "swish".
  const std::string& name() const { return name_; }
  Expr operator()(Expr x) const { return apply_(x); }

 private:
  std::string name_ = "linear";
  Expr (*apply_)(Expr) = [](Expr x) { return x; };
};

std::span<const std::string_view> activation_names();  // without the other names
void activation_field(Fields& fields, std::string_view key, Activation& activation);

}  // namespace hornbeam
