// The options of a sweep as arguments: of the trainings that it starts, and of the command that
// goes on with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/options.h"

namespace hornbeam {

struct Cell {
  std::string model, device;
  int64_t batch = 0;
};

// The settings of the training of a cell, as arguments of `hornbeam`; two cells with the same ones
// are the same.
std::vector<std::string> cell_arguments(const Options& options, const Cell& cell);

// A line for the shell: what was said other than the defaults, and the folder.
std::string command_to_go_on(const Options& options, const std::filesystem::path& folder);

}  // namespace hornbeam
