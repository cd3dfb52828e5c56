// How a command shows how far it is: --progress.
#pragma once

#include <memory>

#include "cli/options.h"
#include "train/reporter.h"

namespace hornbeam {

// On stderr: Keras' bar on a terminal, plain lines elsewhere, unless --progress says otherwise.
std::unique_ptr<Reporter> reporter_for(const Options& options);

}  // namespace hornbeam
