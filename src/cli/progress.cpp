#include "cli/progress.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>

namespace hornbeam {

std::unique_ptr<Reporter> reporter_for(const Options& options) {
  std::string kind = options.quiet ? "none" : options.progress;
  if (kind == "auto") kind = ::isatty(STDERR_FILENO) ? "bar" : "plain";
  if (kind == "bar")
    return std::make_unique<ProgressBar>(std::cerr, std::getenv("NO_COLOR") == nullptr);
  if (kind == "plain") return std::make_unique<PlainLines>(std::cerr);
  return std::make_unique<Reporter>();
}

}  // namespace hornbeam
