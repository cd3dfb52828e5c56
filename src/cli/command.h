// The list of commands: what --help shows and main runs.
#pragma once

#include <span>
#include <string_view>

#include "cli/options.h"

namespace hornbeam {

inline constexpr std::string_view several_models = "MODEL...";

struct Command {
  std::string_view name;
  std::string_view argument;  // "MODEL", "MODEL...", "[NAME]", "CODE" or ""
  std::string_view summary;
  std::string_view examples;  // complete lines
  int (*run)(const Options& options) = nullptr;
};

std::span<const Command> commands();
const Command& find_command(std::string_view name);  // H301 with the nearest right one

}  // namespace hornbeam
