#include "cli/sweep_folder.h"

#include <fmt/format.h>

#include <sstream>

#include "base/error.h"
#include "base/files.h"
#include "cli/run_folder.h"

namespace hornbeam {
namespace fs = std::filesystem;
namespace {

Json settings_of(const std::vector<std::string>& settings) {
  return Json::Array(settings.begin(), settings.end());
}

// A line of another program, or half a line of one that was killed, is no cell.
std::optional<Json> cell_of(const std::string& line) {
  try {
    Json cell = parse_json(line, "cells.jsonl");
    for (const char* key : {"version", "settings", "row"}) cell.at(key);
    return cell;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

SweepFolder::SweepFolder(const Options& options)
    : path_(options.out.empty() ? new_numbered_folder("sweep") : options.out) {
  const bool is_new = options.out.empty() || make_new_folder(path_);
  if (!is_new && !fs::exists(file()) && !fs::is_empty(path_) && !options.overwrite)
    throw Error("H303", {.message = fmt::format("'{}' exists and holds no sweep", path_.string()),
                         .place = "--out",
                         .help = "choose another --out, or add --overwrite"});
  if (!is_new && !options.overwrite) read();
  write();  // from now on this is the folder of a sweep, also when it is stopped in its first cell
}

void SweepFolder::read() {
  if (!fs::exists(file())) return;
  std::istringstream lines(read_text(file()));
  for (std::string line; std::getline(lines, line);)
    if (auto cell = cell_of(line)) done_.push_back(std::move(*cell));
}

std::optional<Json> SweepFolder::find(const std::vector<std::string>& settings) const {
  const Json wanted = settings_of(settings);
  for (const Json& cell : done_)
    if (cell.at("settings") == wanted && cell.at("version") == Json(HORNBEAM_VERSION))
      return cell.at("row");
  return std::nullopt;
}

void SweepFolder::add(const std::vector<std::string>& settings, const Json& row) {
  done_.push_back(Json::object(
      {{"version", HORNBEAM_VERSION}, {"settings", settings_of(settings)}, {"row", row}}));
  write();
}

// The whole file, renamed into its place: it is small, and never half written.
void SweepFolder::write() const {
  std::string lines;
  for (const Json& cell : done_) lines += strict_json_text(cell) + "\n";
  write_text(file(), lines);
}

}  // namespace hornbeam
