#include "ops/cases/families.h"

namespace hornbeam::op_cases {

std::span<const Family> families() {
  static const Family list[] = {activations_family,   conv_family, dropout_family, losses_family,
                                normalization_family, pool_family, reduce_family};
  return list;
}

}  // namespace hornbeam::op_cases
