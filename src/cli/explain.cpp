#include <fmt/format.h>

#include <iostream>

#include "base/error.h"
#include "cli/commands.h"

namespace hornbeam {

int run_explain(const Options& options) {
  for (const ErrorCode& code : error_codes) {
    if (options.model.empty()) std::cout << fmt::format("{}  {}\n", code.name, code.title);
    if (options.model != code.name) continue;
    std::cout << fmt::format("{}: {} (exit code {})\n\n{}\n", code.name, code.title,
                             static_cast<int>(code.exit), code.explanation);
    return 0;
  }
  if (options.model.empty()) return 0;
  throw Error("H301", {.message = fmt::format("there is no error code '{}'", options.model),
                       .help = "hornbeam explain lists all codes"});
}

}  // namespace hornbeam
