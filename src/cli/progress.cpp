#include "cli/progress.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>

namespace hornbeam {

std::string progress_for(const Options& options) {
  if (options.quiet) return "none";
  if (options.progress != "auto") return options.progress;
  return ::isatty(STDERR_FILENO) ? "bar" : "plain";
}

std::unique_ptr<Reporter> reporter_for(const Options& options) {
  const std::string kind = progress_for(options);
  if (kind == "bar")
    return std::make_unique<ProgressBar>(std::cerr, std::getenv("NO_COLOR") == nullptr);
  if (kind == "plain") return std::make_unique<PlainLines>(std::cerr);
  return std::make_unique<Reporter>();
}

}  // namespace hornbeam
