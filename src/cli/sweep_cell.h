// One cell of a sweep: one model on one device with one batch size, trained by a process of its
// own, so that its peak of memory is its own and a crash fails no other cell.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/child_process.h"
#include "cli/sweep_arguments.h"

namespace hornbeam {

// What came of a cell: a row of the document of --json, whose "error" is null when it ran. `folder`
// is used meanwhile and removed.
struct CellEnd {
  Json row;
  int exit = 0;
  bool stopped = false;  // by watch.stop; the row says nothing then
};
CellEnd run_cell(const Cell& cell, std::vector<std::string> arguments,
                 const std::filesystem::path& folder, const ChildWatch& watch);

}  // namespace hornbeam
