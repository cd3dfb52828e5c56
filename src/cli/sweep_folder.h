// The folder of a sweep: the cells that are done, so that a stopped sweep goes on.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/options.h"

namespace hornbeam {

class SweepFolder {
 public:
  // --out, or runs/NNN-sweep with the next free number. A folder of an earlier sweep is gone on
  // with, or begun anew with --overwrite; one that holds something else is refused (H303).
  explicit SweepFolder(const Options& options);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path cell_path() const { return path_ / "cell"; }  // for the cell that runs

  // The row of a cell that ran with the same settings in this version of the program.
  std::optional<Json> find(const std::vector<std::string>& settings) const;
  void add(const std::vector<std::string>& settings, const Json& row);

 private:
  void read();
  void write() const;
  std::filesystem::path file() const { return path_ / "cells.jsonl"; }

  std::filesystem::path path_;
  std::vector<Json> done_;  // {"version", "settings", "row"}
};

}  // namespace hornbeam
