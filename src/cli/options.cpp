#include "cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/config_file.h"

namespace hornbeam {
namespace {

// One option: its flag, what stands behind it, the commands that take it, and where its value goes.
struct OptionRow {
  std::string_view flag;
  std::string_view value;  // "" for a switch
  std::string_view commands;
  std::string_view group;  // "common" options come first in --help
  std::string_view help;
  CLI::Option* (*bind)(CLI::App& app, const std::string& flag, Options& options);
};

template <class T>
struct Plain {
  using type = T;
};
template <class T>
struct Plain<std::optional<T>> {
  using type = T;
};

// The whole text as a number that T can hold; the library itself takes "" for 0 and cuts what is
// too large.
template <class T>
T integer(const std::string& flag, const std::string& text) {
  T value = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size())
    throw Error("H302", {.message = fmt::format("'{}' is no whole number that it takes", text),
                         .place = flag});
  return value;
}

template <auto Member>
using ValueOf =
    typename Plain<std::remove_cvref_t<decltype(std::declval<Options>().*Member)>>::type;

template <auto Member>
CLI::Option* option(CLI::App& app, const std::string& flag, Options& options) {
  using T = ValueOf<Member>;
  if constexpr (std::is_integral_v<T>)
    return app.add_option_function<std::string>(flag, [&options, flag](const std::string& text) {
      options.*Member = integer<T>(flag, text);
    });
  else
    return app.add_option(flag, options.*Member);
}

// A whole number from 1.
template <auto Member, ValueOf<Member> highest = std::numeric_limits<ValueOf<Member>>::max()>
CLI::Option* count(CLI::App& app, const std::string& flag, Options& options) {
  using T = ValueOf<Member>;
  return app.add_option_function<std::string>(flag, [&options, flag](const std::string& text) {
    T value = integer<T>(flag, text);
    if (value < 1 || value > highest)
      throw Error("H302", {.message = highest == std::numeric_limits<T>::max()
                                          ? fmt::format("{}: expected 1 or more", value)
                                          : fmt::format("{}: expected 1 to {}", value, highest),
                           .place = flag});
    options.*Member = value;
  });
}

CLI::Option* progress_kind(CLI::App& app, const std::string& flag, Options& options) {
  return app.add_option_function<std::string>(flag, [&options, flag](const std::string& kind) {
    static constexpr std::string_view kinds[] = {"auto", "bar", "plain", "none"};
    if (!std::ranges::count(kinds, kind))
      throw Error("H302", {.message = fmt::format("'{}' is no kind of progress", kind),
                           .place = flag,
                           .help = "it takes auto, bar, plain or none"});
    options.progress = kind;
  });
}

template <auto Member>
CLI::Option* toggle(CLI::App& app, const std::string& flag, Options& options) {
  return app.add_flag(flag, options.*Member);
}

// Far above any machine's cores; thousands of threads would use up what the system lends to all.
constexpr int most_threads = 1024;

constexpr std::string_view on_data = "train evaluate predict";
constexpr std::string_view on_steps = "train evaluate predict plan inspect";

const OptionRow rows[] = {
    {"--data", "DATA", on_data, "common",
     "a path or a known name (cifar10, cifar100, mnist, fashion_mnist), with :train or :test",
     option<&Options::data>},
    {"--validation", "DATA", "train", "common", "data to evaluate on after every epoch",
     option<&Options::validation>},
    {"--epochs", "N", "train", "common", "how often to go over the data (1)",
     count<&Options::epochs>},
    {"--batch", "N", on_steps, "common", "samples in a step (32)", count<&Options::batch>},
    {"--optimizer", "NAME", "train plan inspect", "common",
     "as Keras writes it: adam, \"SGD(learning_rate=0.1, momentum=0.9)\"",
     option<&Options::optimizer>},
    {"--loss", "NAME", "train evaluate plan inspect", "common",
     "as Keras writes it: mse, \"CategoricalCrossentropy(label_smoothing=0.1)\"",
     option<&Options::loss>},
    {"--metrics", "NAME", "train evaluate plan inspect", "common",
     "metrics besides the loss; may be given several times", option<&Options::metrics>},
    {"--transform", "LAYER", on_steps, "common",
     "a Keras preprocessing layer before the model: \"Rescaling(scale=1/255)\"; in order",
     option<&Options::transforms>},
    {"--seed", "N", "train predict zoo", "common", "start of all random numbers (0)",
     option<&Options::seed>},
    {"--out", "PATH", "train predict zoo", "common",
     "the run folder (train), the file to write (predict, zoo)", option<&Options::out>},

    {"--validation-split", "F", "train", "data", "evaluate on the last part F of the data",
     option<&Options::validation_split>},
    {"--targets", "FILE", on_data, "data", "the targets that belong to a .npy file",
     option<&Options::targets>},
    {"--limit", "N", on_data, "data", "only the first N samples", count<&Options::limit>},
    {"--label-offset", "N", "train evaluate", "data",
     "added to every label: -1 where classes count from 1", option<&Options::label_offset>},
    {"--class-weight", "JSON", "train", "data", "weights of classes: '{\"0\": 1, \"1\": 3}'",
     option<&Options::class_weight>},
    {"--no-shuffle", "", "train", "training", "take the samples in their order",
     toggle<&Options::no_shuffle>},
    {"--steps-per-epoch", "N", "train", "training", "end an epoch after N steps",
     count<&Options::steps_per_epoch>},
    {"--weights", "FILE", "train evaluate predict plan inspect", "model",
     "weights for a .json architecture", option<&Options::weights>},

    {"--device", "NAME", on_steps, "machine", "cpu (default), reference", option<&Options::device>},
    {"--replicas", "R", "train plan inspect", "machine",
     "equal slices of a batch, each with its own batch statistics (1)", count<&Options::replicas>},
    {"--threads", "T", on_steps, "machine",
     "threads, 1 to 1024 (one for each core); never changes a result",
     count<&Options::threads, most_threads>},
    {"--isa", "NAME", on_steps, "machine", "force a lesser instruction set: avx512, avx2, sse4",
     option<&Options::isa>},
    {"--matmul-precision", "NAME", on_steps, "machine",
     "highest (default): as sums in float32; high, default: faster",
     option<&Options::matmul_precision>},
    {"--memory", "SIZE", "train evaluate predict plan", "machine",
     "a ceiling, as 4GiB (what the machine allows)", option<&Options::memory>},
    {"--without-pass", "NAME", on_steps, "machine", "switch a compiler pass off",
     option<&Options::disabled_passes>},

    {"--json", "", "train evaluate predict plan inspect doctor zoo explain", "output",
     "one JSON document on stdout", toggle<&Options::json>},
    {"--quiet", "", on_steps, "output", "no progress and no notes", toggle<&Options::quiet>},
    {"--progress", "KIND", "train evaluate predict", "output", "auto, bar, plain or none",
     progress_kind},
    {"--overwrite", "", "train", "output", "write into a run folder that exists",
     toggle<&Options::overwrite>},
    {"--graph", "", "inspect", "output", "the compiled training step as text",
     toggle<&Options::graph>},
    {"--kernels", "", "inspect", "output",
     "which kernel takes which node, why, and at what predicted cost", toggle<&Options::kernels>},
    {"--measure", "", "inspect", "output", "--kernels with measured times, of steps on zeros",
     toggle<&Options::measure>},
    {"--profile", "", "train", "output", "at the end, the time by layer and by kernel",
     toggle<&Options::profile>},
    {"--trace", "FILE", "train", "output",
     "the first 10 steps, kernel by kernel, for chrome://tracing or Perfetto",
     option<&Options::trace>},
};

bool takes(const OptionRow& row, std::string_view command) {
  std::string padded = fmt::format(" {} ", row.commands);
  return padded.find(fmt::format(" {} ", command)) != std::string::npos;
}

[[noreturn]] void refuse(const std::string& message, const std::string& help) {
  throw Error("H301", {.message = message, .help = help});
}

std::string see_help(std::string_view command) {
  return fmt::format("hornbeam{}{} --help lists the options", command.empty() ? "" : " ", command);
}

void require_known_flags(const std::vector<std::string>& arguments, std::string_view command) {
  std::vector<std::string_view> known{"--help", "--config"};
  for (const OptionRow& row : rows)
    if (takes(row, command)) known.push_back(row.flag);
  for (const std::string& argument : arguments) {
    std::string_view flag = std::string_view(argument).substr(0, argument.find('='));
    if (!flag.starts_with("--") || std::ranges::count(known, flag)) continue;
    std::string_view near = nearest(flag, known);
    refuse(fmt::format("{} has no option {}", command, flag),
           near.empty() ? see_help(command) : fmt::format("did you mean {}?", near));
  }
}

struct Parsed {
  Options options;
  std::string config;
  std::vector<std::string> given;  // flags that were on the command line
};

Parsed parse_once(const std::vector<std::string>& arguments, const Command& command) {
  Parsed parsed;
  Options& options = parsed.options;
  CLI::App app;
  app.set_help_flag();
  app.add_flag("-h,--help", options.help);
  app.add_option("--config", parsed.config);
  if (!command.argument.empty()) app.add_option("model", options.model);
  std::vector<std::pair<std::string, CLI::Option*>> bound;
  for (const OptionRow& row : rows)
    if (takes(row, command.name))
      bound.emplace_back(row.flag, row.bind(app, std::string(row.flag), options));
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    refuse(error.what(), see_help(command.name));
  }
  for (auto& [flag, entry] : bound)
    if (entry->count() > 0) parsed.given.push_back(flag);
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
    ErrorParts parts = error.parts();
    if (!parts.place.empty()) parts.notes.push_back("in the setting of " + parts.place);
    parts.place = setting.place;
    throw Error("H302", std::move(parts));
  }
}

std::vector<std::string> with_config(std::vector<std::string> arguments, const Parsed& parsed,
                                     const Command& command) {
  for (const Setting& setting : read_config_file(parsed.config)) {
    std::string flag = "--" + setting.key;
    std::vector<std::string> own;
    for (const std::string& value : setting.values) own.push_back(flag + "=" + value);
    require_usable(setting, own, command);
    if (std::ranges::count(parsed.given, flag)) continue;
    arguments.insert(arguments.end(), own.begin(), own.end());
  }
  return arguments;
}

std::string option_line(const OptionRow& row) {
  std::string left = fmt::format("{} {}", row.flag, row.value);
  return fmt::format("  {:24} {}\n", left, row.help);
}

std::string options_text(std::string_view command) {
  std::string text;
  std::string_view group;
  for (const OptionRow& row : rows) {
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
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" ||
      arguments[0] == "help") {
    options.help = true;
    return options;
  }
  const Command& command = find_command(arguments[0]);
  std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  require_known_flags(rest, command.name);
  Parsed parsed = parse_once(rest, command);
  if (!parsed.config.empty()) {
    rest = with_config(std::move(rest), parsed, command);
    parsed = parse_once(rest, command);
  }
  if (command.argument == "MODEL" && parsed.options.model.empty() && !parsed.options.help)
    refuse(fmt::format("{} needs a model", command.name),
           "give a .keras, .h5 or .json file, or zoo:NAME (hornbeam zoo lists them)");
  return parsed.options;
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
    return text + "\nhornbeam COMMAND --help shows examples and options of a command.\n";
  }
  const Command& command = find_command(name);
  return fmt::format("{}\n\n{}\nhornbeam {} {} [options]\n{}", command.summary, command.examples,
                     command.name, command.argument, options_text(name));
}

}  // namespace hornbeam
