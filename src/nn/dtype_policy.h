// DTypePolicy: the element type in which a layer computes, and that of its variables, as in Keras.
//
// A layer's floating inputs are cast to the compute dtype before its call (autocast), and so is a
// weight where it is read; what it gives has the compute dtype. Weights, their updates, losses and
// metrics stay in the variable dtype.
#pragma once

#include <array>
#include <string_view>

#include "base/dtype.h"
#include "nn/fields.h"

namespace hornbeam {

struct DTypePolicy {
  std::string_view name;
  DType compute = DType::float32;
  DType variable = DType::float32;
  bool operator==(const DTypePolicy&) const = default;
};

inline constexpr DTypePolicy float32_policy{"float32", DType::float32, DType::float32};
inline constexpr DTypePolicy mixed_bfloat16_policy{"mixed_bfloat16", DType::bfloat16,
                                                   DType::float32};
inline constexpr std::array dtype_policies{float32_policy, mixed_bfloat16_policy};
inline constexpr std::string_view dtype_policies_text = "float32 and mixed_bfloat16";

// Null for a name that is none of them.
const DTypePolicy* find_dtype_policy(std::string_view name);

// The key `dtype`: a name, or an object {"class_name", "config": {"name"}} as Keras 2 (Policy) and
// Keras from 3.4 on (DTypePolicy) write it; null is float32. Written as a name, which every version
// reads. Another policy is refused: H111.
void dtype_policy_field(Fields& fields, DTypePolicy& policy);

}  // namespace hornbeam
