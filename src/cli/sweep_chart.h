// The rows of a sweep as a picture.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace hornbeam {

// µs a sample over the batch size, both logarithmic; a line for each model and device, and with
// `article` those of the article for its models. SVG.
std::string sweep_svg(const std::vector<Json>& rows, bool article);

}  // namespace hornbeam
