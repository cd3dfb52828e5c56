#include "cli/pass_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "cli/table.h"
#include "ir/text.h"

namespace hornbeam {

std::string passes_table(const std::vector<PassRecord>& passes) {
  std::vector<TableRow> rows{{"pass", "ms", "nodes after it"}};
  for (const PassRecord& pass : passes)
    rows.push_back({pass.name, milliseconds_text(pass.seconds), std::to_string(pass.nodes)});
  return table_text("<>>", rows);
}

Json passes_json(const std::vector<PassRecord>& passes) {
  Json::Array all;
  for (const PassRecord& pass : passes)
    all.push_back(Json::object({{"pass", pass.name},
                                {"seconds", pass.seconds},
                                {"nodes", static_cast<int64_t>(pass.nodes)}}));
  return all;
}

void PassDumps::add(std::string_view pass, const Graph& graph) {
  if (std::ranges::count(names_, pass) > 0)
    dumps_.push_back({std::string(pass), print(graph, Scopes::shown)});
}

void PassDumps::require_all(const std::vector<PassRecord>& passes) const {
  std::vector<std::string> ran;
  for (const PassRecord& pass : passes)
    if (std::ranges::count(ran, pass.name) == 0) ran.push_back(pass.name);
  const std::vector<std::string_view> candidates(ran.begin(), ran.end());
  for (const std::string& name : names_)
    if (std::ranges::count(dumps_, name, &Dump::pass) == 0)
      throw Error("H302",
                  {.message = fmt::format("no pass '{}' ran whose graph could be shown", name),
                   .place = "--dump",
                   .help = did_you_mean(name, candidates, "passes that ran: " + join(ran, ", "))});
}

std::string PassDumps::text() const {
  std::string all;
  for (const Dump& dump : dumps_)
    all += fmt::format("# after the pass {}\n{}", dump.pass, printable(dump.graph, "\n"));
  return all;
}

Json PassDumps::json() const {
  Json::Array all;
  for (const Dump& dump : dumps_)
    all.push_back(Json::object({{"pass", dump.pass}, {"graph", dump.graph}}));
  return all;
}

}  // namespace hornbeam
