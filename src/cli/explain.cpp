#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/report.h"

namespace hornbeam {
namespace {

Json code_json(const ErrorCode& code) {
  return Json::object({{"code", code.name},
                       {"title", code.title},
                       {"exit", static_cast<int>(code.exit)},
                       {"explanation", code.explanation}});
}

int list_codes(bool json) {
  Json::Array all;
  for (const ErrorCode& code : error_codes) {
    if (!json) std::cout << fmt::format("{}  {}\n", code.name, code.title);
    all.push_back(code_json(code));
  }
  if (json) print_json(all);
  return 0;
}

}  // namespace

int run_explain(const Options& options) {
  if (options.model.empty()) return list_codes(options.json);
  const ErrorCode* code = std::ranges::find(error_codes, options.model, &ErrorCode::name);
  if (code == std::end(error_codes))
    throw Error("H301", {.message = fmt::format("there is no error code '{}'", options.model),
                         .help = "hornbeam explain lists all codes"});
  if (options.json)
    print_json(code_json(*code));
  else
    std::cout << fmt::format("{}: {} (exit code {})\n\n{}\n", code->name, code->title,
                             static_cast<int>(code->exit), code->explanation);
  return 0;
}

}  // namespace hornbeam
