// The history of a run as a picture.
#pragma once

#include <string>

#include "train/history.h"

namespace hornbeam {

// Loss and metrics, of training and validation, over the epochs (counted from 1); SVG.
std::string history_svg(const History& history);

}  // namespace hornbeam
