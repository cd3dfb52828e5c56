#include "cli/sweep_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/option_table.h"
#include "cli/session.h"

namespace hornbeam {
namespace {

// Options of both commands that a cell has its own of, or that change no figure.
constexpr std::string_view not_handed_on[] = {"--out",   "--overwrite", "--json",
                                              "--quiet", "--progress",  "--threads"};

std::string value_text(const Json& value) {
  return value.is_text() ? value.as_text() : json_text(value);
}

// As "--seed=3"; nothing for what says nothing.
std::vector<std::string> flag_arguments(std::string_view flag, std::string_view value_name,
                                        const Json& value) {
  if (value.is_null() || value == Json(false)) return {};
  if (value == Json(true)) return {std::string(flag)};
  if (!value.is_array()) return {fmt::format("{}={}", flag, value_text(value))};
  std::vector<std::string> all;
  for (const Json& item : value.as_array())
    if (value_name == "LIST" && !all.empty())
      all[0] += "," + value_text(item);
    else
      all.push_back(fmt::format("{}={}", flag, value_text(item)));
  return all;
}

// An argument as a shell takes it.
std::string quoted(const std::string& argument) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,@+";
  if (argument.find_first_not_of(plain) == argument.npos) return argument;
  std::string text = "'";
  for (char letter : argument)
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

}  // namespace

std::vector<std::string> cell_arguments(const Options& options, const Cell& cell) {
  std::vector<std::string> arguments{"train",
                                     cell.model,
                                     "--device=" + cell.device,
                                     fmt::format("--batch={}", cell.batch),
                                     fmt::format("--epochs={}", options.cell_epochs),
                                     fmt::format("--threads={}", threads_for(options))};
  if (options.limit) arguments.push_back(fmt::format("--limit={}", *options.limit));
  for (const OptionRow& row : option_rows()) {
    if (!takes(row, "sweep") || !takes(row, "train") || std::ranges::count(not_handed_on, row.flag))
      continue;
    for (std::string& argument : flag_arguments(row.flag, row.value, row.field.value(options)))
      arguments.push_back(std::move(argument));
  }
  return arguments;
}

std::string command_to_go_on(const Options& options, const std::filesystem::path& folder) {
  std::string command = "hornbeam sweep";
  for (const std::string& model : options.models) command += " " + quoted(model);
  for (const OptionRow& row : option_rows()) {
    const Json value = row.field.value(options);
    if (!takes(row, "sweep") || row.flag == "--out" || row.flag == "--overwrite" ||
        value == row.field.value(Options{}))
      continue;
    for (const std::string& argument : flag_arguments(row.flag, row.value, value))
      command += " " + quoted(argument);
  }
  return command + " " + quoted("--out=" + folder.string());
}

}  // namespace hornbeam
