// The table of cases of each family of ops.
#pragma once

#include "ops/cases/op_case.h"

namespace hornbeam::op_cases {

extern const Family activations_family, conv_family, dropout_family, losses_family,
    normalization_family, pool_family, reduce_family;

}  // namespace hornbeam::op_cases
