// The times of a profiled run, as tables and as JSON: `train --profile`.
#pragma once

#include "base/json.h"
#include "train/step_profile.h"

namespace hornbeam {

std::string profile_text(const StepProfile& profile);
Json profile_json(const StepProfile& profile);

}  // namespace hornbeam
