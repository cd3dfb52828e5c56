// Which kernel takes which node at what cost: `inspect --kernels`.
#pragma once

#include "base/json.h"
#include "train/step_profile.h"

namespace hornbeam {

// With the measured times when `profile` is given, which is of the same kernels.
std::string kernel_table(const std::vector<KernelRecord>& kernels, const StepProfile* profile);
Json kernels_json(const std::vector<KernelRecord>& kernels, const StepProfile* profile);

}  // namespace hornbeam
