// The text of StableHLO's types, constants and attributes.
#pragma once

#include <string>
#include <string_view>

#include "base/tensor.h"
#include "ir/attrs.h"
#include "ir/type.h"

namespace hornbeam {

std::string stablehlo_type(const Type& type);          // "tensor<2x3xf32>"
std::string stablehlo_types(const Types& types);       // "(tensor<f32>, tensor<2xi32>)"
std::string stablehlo_constant(const Tensor& tensor);  // "dense<[1.5, 2.0]> : tensor<2xf32>"

std::string integer_array(const Integers& values);  // "array<i64: 1, 2>"
std::string integer_list(const Integers& values);   // "[1, 2]"
std::string integer(int64_t value);                 // "1 : i64"
// Two numbers an axis: "dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>".
std::string paddings(const Integers& low, const Integers& high);

}  // namespace hornbeam
