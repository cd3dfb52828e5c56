// One cell of a sweep: one model on one device with one batch size, trained by a process of its
// own, so that its peak of memory is its own and a crash fails no other cell.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/child_process.h"
#include "cli/options.h"

namespace hornbeam {

struct Cell {
  std::string model, device;
  int64_t batch = 0;
};

// The settings of the training, as arguments of `hornbeam`; two cells with the same ones are the
// same.
std::vector<std::string> cell_arguments(const Options& options, const Cell& cell);

// What came of a cell: a row of the document of --json, whose "error" is null when it ran. `folder`
// is used meanwhile and removed.
struct CellEnd {
  Json row;
  int exit = 0;
  bool stopped = false;  // by watch.stop; the row says nothing then
};
CellEnd run_cell(const Cell& cell, std::vector<std::string> arguments,
                 const std::filesystem::path& folder, const ChildWatch& watch);

// Options of a command as arguments, as "--seed=3"; those that say nothing are left out.
std::vector<std::string> flag_arguments(std::string_view flag, std::string_view value_name,
                                        const Json& value);

}  // namespace hornbeam
