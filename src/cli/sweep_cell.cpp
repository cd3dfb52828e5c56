#include "cli/sweep_cell.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <csignal>

#include "base/error.h"

namespace hornbeam {
namespace fs = std::filesystem;
namespace {

// The fastest epoch counts, as in the article.
const Json& best_epoch(const Json& report) {
  const Json::Array& epochs = report.at("epochs").as_array();
  return *std::ranges::min_element(
      epochs, {}, [](const Json& epoch) { return epoch.at("seconds").as_number(); });
}

Json row_of(const Cell& cell, const Json& report, const std::string& error, const Json& fits) {
  const bool ran = error.empty();
  auto from = [&](std::string_view key) { return ran ? report.at(key) : Json(); };
  auto best = [&](std::string_view key) { return ran ? best_epoch(report).at(key) : Json(); };
  const Json first = ran ? report.at("epochs").as_array()[0].at("seconds") : Json();
  return Json::object({{"model", cell.model},
                       {"device", cell.device},
                       {"batch", ran ? report.at("batch") : Json(cell.batch)},
                       {"samples", best("samples")},
                       {"slices", from("slices")},
                       {"threads", from("threads")},
                       {"seconds_per_epoch", best("seconds")},
                       {"us_per_sample", best("us_per_sample")},
                       {"first_epoch_seconds", first},
                       {"compile_seconds", from("compile_seconds")},
                       {"planned_peak_bytes", from("planned_peak_bytes")},
                       {"measured_peak_bytes", from("measured_peak_bytes")},
                       {"fits", fits},
                       {"error", ran ? Json() : Json(error)}});
}

// "error[H401]: …" out of what a process said.
std::string error_line(const ChildEnd& end) {
  if (end.signal == SIGKILL) return "killed by the system, which may have had no memory left";
  if (end.signal != 0)
    return fmt::format("ended by signal {} ({})", end.signal, ::strsignal(end.signal));
  const size_t begin = end.err.starts_with("error[") ? 0 : end.err.find("\nerror[");
  if (begin == end.err.npos) return fmt::format("ended with exit code {}", end.exit);
  const std::string text = end.err.substr(begin == 0 ? 0 : begin + 1);
  return text.substr(0, text.find('\n'));
}

Json failed_row(const Cell& cell, const ChildEnd& end) {
  const bool does_not_fit =
      end.signal == SIGKILL || end.exit == static_cast<int>(Exit::does_not_fit);
  return row_of(cell, {}, error_line(end), does_not_fit ? Json(false) : Json());
}

// A document that cannot be read is a fault of the cell, as a crash is.
Json row_of_report(const Cell& cell, const ChildEnd& end) {
  try {
    return row_of(cell, parse_json(end.out, "the report of the cell"), "", true);
  } catch (const Error& error) {
    return row_of(cell, {}, error.parts().message, {});
  }
}

}  // namespace

CellEnd run_cell(const Cell& cell, std::vector<std::string> arguments, const fs::path& folder,
                 const ChildWatch& watch) {
  for (const std::string& own : {"--out=" + folder.string(), std::string("--overwrite"),
                                 std::string("--json"), std::string("--progress=plain")})
    arguments.push_back(own);
  const ChildEnd end = run_child(arguments, watch);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  if (end.stopped) return {.row = {}, .exit = static_cast<int>(Exit::interrupted), .stopped = true};
  const bool ended_well = end.exit == 0 && end.signal == 0;
  return {.row = ended_well ? row_of_report(cell, end) : failed_row(cell, end),
          .exit = end.signal == 0 ? end.exit : static_cast<int>(Exit::internal)};
}

}  // namespace hornbeam
