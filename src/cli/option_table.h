// The table of options, which parsing, --help, --config and config.json all read.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "cli/options.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace hornbeam {

// Where the value of an option goes, and the value that it has: null where nothing was said.
struct OptionField {
  CLI::Option* (*bind)(CLI::App& app, const std::string& flag, Options& options);
  Json (*value)(const Options& options);
};

struct OptionRow {
  std::string_view flag;
  std::string_view value;  // what stands behind the flag; "" for a switch
  std::string_view commands;
  std::string_view group;  // "common" options come first in --help
  std::string_view help;
  OptionField field;

  std::string_view name() const { return flag.substr(2); }
};

std::span<const OptionRow> option_rows();
bool takes(const OptionRow& row, std::string_view command);

}  // namespace hornbeam
