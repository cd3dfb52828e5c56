// The widen pass: bfloat16 is computed in float32, for a backend without units for it.
//
// An operation on bfloat16 becomes the same one on float32, between conversions: its operands are
// float32 numbers without loss, its result is rounded to bfloat16. Products and sums are then
// accumulated in float32; elementwise operations are rounded one by one. What only moves elements
// stays as it is.
#pragma once

#include "compile/pipeline.h"

namespace hornbeam {

Graph widen_bfloat16(const Graph& graph);

// Whether `claims` would take a composite as the widen pass will leave it.
Claims claims_when_widened(Claims claims);

}  // namespace hornbeam
