// How a command shows how far it is: --progress.
#pragma once

#include <memory>
#include <string>

#include "cli/options.h"
#include "train/reporter.h"

namespace hornbeam {

// "bar", "plain" or "none": what --progress and --quiet come to where stderr goes.
std::string progress_for(const Options& options);
// On stderr: Keras' bar on a terminal, plain lines elsewhere, unless --progress says otherwise.
std::unique_ptr<Reporter> reporter_for(const Options& options);

}  // namespace hornbeam
