// IEEE 754 half-precision numbers as files store them. Hornbeam widens them when it reads.
#pragma once

#include <cstdint>

namespace hornbeam {

// Exact, subnormal numbers, infinities and NaN included.
float float16_to_float32(uint16_t bits);

}  // namespace hornbeam
