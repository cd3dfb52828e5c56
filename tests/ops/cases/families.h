// The table of cases of each family of ops.
#pragma once

#include "ops/cases/op_case.h"

namespace hornbeam::op_cases {

extern const Family activations_family, control_family, conv_family, dropout_family,
    elementwise_family, losses_family, normalization_family, pool_family, products_family,
    reduce_family, structural_family, tables_family;

}  // namespace hornbeam::op_cases
