// The rules of what print_stablehlo writes, checked on the text itself.
#pragma once

#include <string_view>

namespace hornbeam {

// Throws H702 with the line when: the text is malformed, an op is unknown, an attribute is missing
// or unknown, a value is used before it is there or with another type than it has, a name is given
// twice, or the operand and result types of an op do not fit together.
void verify_stablehlo(std::string_view text);

}  // namespace hornbeam
