#include "cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text.h"
#include "cli/command.h"
#include "cli/config_file.h"
#include "cli/option_table.h"

namespace hornbeam {
namespace {

[[noreturn]] void refuse(const std::string& message, const std::string& help) {
  throw Error("H301", {.message = message, .help = help});
}

std::string see_help(std::string_view command) {
  return fmt::format("hornbeam{}{} --help lists the options", command.empty() ? "" : " ", command);
}

void require_known_flags(const std::vector<std::string>& arguments, std::string_view command) {
  std::vector<std::string_view> known{"help", "config"};
  for (const OptionRow& row : option_rows())
    if (takes(row, command)) known.push_back(row.name());
  for (const std::string& argument : arguments) {
    std::string_view flag = std::string_view(argument).substr(0, argument.find('='));
    if (!flag.starts_with("--") || std::ranges::count(known, flag.substr(2))) continue;
    std::string_view near = nearest(flag.substr(2), known);
    refuse(fmt::format("{} has no option {}", command, flag),
           near.empty() ? see_help(command) : fmt::format("did you mean --{}?", near));
  }
}

struct Parsed {
  Options options;
  std::string config;
  std::vector<std::string> given;  // flags that were on the command line
};

// Options that stand for one value; those of several may be repeated.
void require_given_once(const std::vector<std::string>& arguments, const std::string& flag,
                        const CLI::Option& option) {
  auto names_it = [&](const std::string& text) {
    return text == flag || text.starts_with(flag + "=");
  };
  if (option.get_items_expected_max() == 1 && std::ranges::count_if(arguments, names_it) > 1)
    refuse(fmt::format("{} is given more than once", flag), "it takes one value; leave one");
}

// The library's text begins with the option that lacks its value; of a switch that is given one it
// ends with both.
std::string parse_problem(const std::string& text) {
  if (text.starts_with("--"))
    return fmt::format("{} needs a value", text.substr(0, text.find(':')));
  return fmt::format("a switch is given or not: {}", text.substr(text.rfind(':') + 2));
}

Parsed parse_once(const std::vector<std::string>& arguments, const Command& command) {
  Parsed parsed;
  Options& options = parsed.options;
  CLI::App app;
  app.set_help_flag();
  app.add_flag("-h,--help", options.help);
  app.add_option("--config", parsed.config);
  if (command.argument == several_models)
    app.add_option("model", options.models);
  else if (!command.argument.empty())
    app.add_option("model", options.model);
  std::vector<std::pair<std::string, CLI::Option*>> bound;
  for (const OptionRow& row : option_rows())
    if (takes(row, command.name))
      bound.emplace_back(row.flag, row.field.bind(app, std::string(row.flag), options));
  for (auto& [flag, entry] : bound) require_given_once(arguments, flag, *entry);
  app.allow_extras();
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    refuse(parse_problem(error.what()), see_help(command.name));
  }
  if (!app.remaining().empty())
    refuse(fmt::format("{} has no use for '{}'", command.name, app.remaining()[0]),
           see_help(command.name));
  for (auto& [flag, entry] : bound) {
    if (entry->count() == 0) continue;
    parsed.given.push_back(flag);
    if (std::ranges::count(entry->results(), "") > 0)
      throw Error("H302",
                  {.message = "an empty value", .place = flag, .help = see_help(command.name)});
  }
  options.command = command.name;
  return parsed;
}

// A setting is tried alone, so that its fault is reported with its line.
void require_usable(const Setting& setting, const std::vector<std::string>& arguments,
                    const Command& command) {
  try {
    require_known_flags(arguments, command.name);
    parse_once(arguments, command);
  } catch (const Error& error) {
    throw Error("H302", error.moved_to(setting.place).parts());
  }
}

bool belongs_to_another_command(std::string_view name, std::string_view command) {
  bool known = false;
  for (const OptionRow& row : option_rows()) {
    if (row.name() != name) continue;
    if (takes(row, command)) return false;
    known = true;
  }
  return known;
}

// The command line with the settings of the file behind it. One that this command has no use for is
// left out, so that the file of one command serves another.
struct Merged {
  std::vector<std::string> arguments, left_out;
  std::map<std::string, std::string> places;  // of the settings taken, by flag
};

Merged with_config(std::vector<std::string> arguments, const Parsed& parsed,
                   const Command& command) {
  Merged merged{std::move(arguments), {}, {}};
  for (const Setting& setting : read_config_file(parsed.config)) {
    std::string flag = "--" + setting.key;
    if (belongs_to_another_command(setting.key, command.name)) {
      merged.left_out.push_back(setting.key);
      continue;
    }
    std::vector<std::string> own;
    for (const std::string& value : setting.values) own.push_back(flag + "=" + value);
    require_usable(setting, own, command);
    if (std::ranges::count(parsed.given, flag)) continue;
    merged.arguments.insert(merged.arguments.end(), own.begin(), own.end());
    merged.places[flag] = setting.place;
  }
  return merged;
}

Options parse_with_config(std::vector<std::string> arguments, const Parsed& parsed,
                          const Command& command) {
  Merged merged = with_config(std::move(arguments), parsed, command);
  Options options = parse_once(merged.arguments, command).options;
  options.setting_places = std::move(merged.places);
  if (!merged.left_out.empty())
    options.config_note = fmt::format("{}: {} has no use for {}", parsed.config, command.name,
                                      join(merged.left_out, ", "));
  return options;
}

std::string option_line(const OptionRow& row) {
  std::string left = fmt::format("{} {}", row.flag, row.value);
  return fmt::format("  {:24} {}\n", left, row.help);
}

std::string options_text(std::string_view command) {
  std::string text;
  std::string_view group;
  for (const OptionRow& row : option_rows()) {
    if (!takes(row, command)) continue;
    if (row.group != group) text += fmt::format("\n{} options:\n", row.group);
    group = row.group;
    text += option_line(row);
  }
  return text + "\n  --config run.toml        any of these options from a file; flags win\n";
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  if (arguments.empty()) refuse("no command is given", "hornbeam --help lists the commands");
  if (arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
    options.help = true;
    return options;
  }
  if (arguments[0] == "--version") {
    options.version = true;
    return options;
  }
  const Command& command = find_command(arguments[0]);
  std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  require_known_flags(rest, command.name);
  Parsed parsed = parse_once(rest, command);
  if (!parsed.config.empty()) parsed.options = parse_with_config(rest, parsed, command);
  const bool none = command.argument == several_models ? parsed.options.models.empty()
                                                       : parsed.options.model.empty();
  if (command.argument.starts_with("MODEL") && none && !parsed.options.help)
    refuse(fmt::format("{} needs a model", command.name),
           "give a .keras, .h5 or .json file, or zoo:NAME (hornbeam zoo lists them)");
  return parsed.options;
}

Json settings_json(const Options& options) {
  Json settings = Json::object({});
  for (const OptionRow& row : option_rows())
    if (takes(row, options.command)) settings.set(row.name(), row.field.value(options));
  return settings;
}

Error at_setting(const Error& error, const Options& options) {
  const std::string& place = error.parts().place;
  auto found = options.setting_places.find(place.substr(0, place.find(' ')));
  return found == options.setting_places.end() ? error : error.moved_to(found->second);
}

std::string help_text(std::string_view name) {
  if (name.empty()) {
    std::string text =
        "Trains Keras models natively.\n\n"
        "  hornbeam train zoo:article-cnn --data cifar10 --transform \"Rescaling(scale=1/255)\"\n"
        "  hornbeam evaluate runs/001-article-cnn/last.keras --data cifar10:test\n"
        "  hornbeam plan model.keras --batch 4096\n\nCommands:\n";
    for (const Command& command : commands())
      text += fmt::format("  {:10} {}\n", command.name, command.summary);
    text += "\nLayers, optimizers, losses and metrics: docs/keras-support.md\n";
    return text + "hornbeam COMMAND --help shows examples and options of a command.\n";
  }
  const Command& command = find_command(name);
  return fmt::format("{}\n\n{}\nhornbeam {} {} [options]\n{}", command.summary, command.examples,
                     command.name, command.argument, options_text(name));
}

}  // namespace hornbeam
