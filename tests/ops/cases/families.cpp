#include "ops/cases/families.h"

namespace hornbeam::op_cases {

std::span<const Family> families() {
  static const Family list[] = {activations_family,   control_family,     conv_family,
                                dropout_family,       elementwise_family, losses_family,
                                normalization_family, pool_family,        products_family,
                                reduce_family,        structural_family,  tables_family};
  return list;
}

}  // namespace hornbeam::op_cases
