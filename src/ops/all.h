// The list of all operations. Tests walk it: an op without a test case is red.
#pragma once

#include <span>

#include "ir/op.h"

namespace hornbeam {

std::span<const OpDef* const> all_ops();

}  // namespace hornbeam
