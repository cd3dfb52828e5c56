// The instruction set that the vector kernels use: "avx512", "avx2" or "sse4".
//
// By default the best one the machine has. Results are bit-identical between machines that use the
// same one. The choice belongs to the process (the vector library keeps it) and must be made before
// any kernel is planned: workspaces and packed layouts depend on it.
#pragma once

#include <string_view>
#include <vector>

namespace hornbeam {

// What the kernels are compiled for and this machine can run, best first.
std::vector<std::string_view> available_isas();

// The one in use.
std::string_view current_isa();

// Uses `name` from now on; throws H302 for one that this machine lacks or that does not exist.
void force_isa(std::string_view name);

}  // namespace hornbeam
