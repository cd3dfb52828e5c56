#include "cli/option_table.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>

#include "base/error.h"
#include "nn/dtype_policy.h"

namespace hornbeam {
namespace {

// Far above any machine's cores; thousands of threads would use up what the system lends to all.
constexpr int most_threads = 1024;
// Every replica repeats the step in the graph; a step counts its samples in 32 bits.
constexpr int most_replicas = 4096;
constexpr int64_t largest_batch = std::numeric_limits<int32_t>::max() - most_replicas;

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
T number(const std::string& flag, const std::string& text) {
  constexpr const char* kind = std::is_integral_v<T> ? "whole number" : "number";
  T value = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size())
    throw Error("H302",
                {.message = fmt::format("'{}' is no {} that it takes", text, kind), .place = flag});
  return value;
}

template <auto Member>
using ValueOf =
    typename Plain<std::remove_cvref_t<decltype(std::declval<Options>().*Member)>>::type;

template <auto Member>
CLI::Option* bind_value(CLI::App& app, const std::string& flag, Options& options) {
  using T = ValueOf<Member>;
  if constexpr (std::is_arithmetic_v<T>)
    return app.add_option_function<std::string>(flag, [&options, flag](const std::string& text) {
      options.*Member = number<T>(flag, text);
    });
  else
    return app.add_option(flag, options.*Member);
}

template <class T>
T counted_number(const std::string& flag, const std::string& text, T highest) {
  T value = number<T>(flag, text);
  if (value < 1 || value > highest)
    throw Error("H302", {.message = highest == std::numeric_limits<T>::max()
                                        ? fmt::format("{}: expected 1 or more", value)
                                        : fmt::format("{}: expected 1 to {}", value, highest),
                         .place = flag});
  return value;
}

// A whole number from 1.
template <auto Member, ValueOf<Member> highest = std::numeric_limits<ValueOf<Member>>::max()>
CLI::Option* bind_count(CLI::App& app, const std::string& flag, Options& options) {
  using T = ValueOf<Member>;
  return app.add_option_function<std::string>(flag, [&options, flag](const std::string& text) {
    options.*Member = counted_number<T>(flag, text, highest);
  });
}

std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts;
  for (size_t at = 0, comma = 0; comma != list.npos; at = comma + 1) {
    comma = list.find(',', at);
    parts.push_back(list.substr(at, comma == list.npos ? comma : comma - at));
  }
  return parts;
}

void add_value(std::vector<std::string>& values, const std::string& flag, const std::string& text) {
  if (text.empty()) throw Error("H302", {.message = "an empty value in the list", .place = flag});
  values.push_back(text);
}

void add_value(std::vector<int64_t>& values, const std::string& flag, const std::string& text) {
  values.push_back(counted_number<int64_t>(flag, text, largest_batch));
}

// Values with commas between them; the option may be repeated, as a list of --config does.
template <auto Member>
CLI::Option* bind_list(CLI::App& app, const std::string& flag, Options& options) {
  auto take = [&options, flag](const std::vector<std::string>& lists) {
    (options.*Member).clear();
    for (const std::string& list : lists)
      for (const std::string& part : parts_of(list)) add_value(options.*Member, flag, part);
  };
  return app.add_option_function<std::vector<std::string>>(flag, take)->allow_extra_args(false);
}

CLI::Option* bind_reference(CLI::App& app, const std::string& flag, Options& options) {
  return app.add_option_function<std::string>(flag, [&options, flag](const std::string& name) {
    if (name != "article")
      throw Error("H302", {.message = fmt::format("there are no figures of '{}'", name),
                           .place = flag,
                           .help = "it takes article"});
    options.reference = name;
  });
}

CLI::Option* bind_progress(CLI::App& app, const std::string& flag, Options& options) {
  return app.add_option_function<std::string>(flag, [&options, flag](const std::string& kind) {
    static constexpr std::string_view kinds[] = {"auto", "bar", "plain", "none"};
    if (!std::ranges::count(kinds, kind))
      throw Error("H302", {.message = fmt::format("'{}' is no kind of progress", kind),
                           .place = flag,
                           .help = "it takes auto, bar, plain or none"});
    options.progress = kind;
  });
}

CLI::Option* bind_policy(CLI::App& app, const std::string& flag, Options& options) {
  return app.add_option_function<std::string>(flag, [&options, flag](const std::string& policy) {
    if (find_dtype_policy(policy) == nullptr)
      throw Error("H302", {.message = fmt::format("the policy '{}' is not supported", policy),
                           .place = flag,
                           .help = fmt::format("the policies are {}", dtype_policies_text)});
    options.policy = policy;
  });
}

template <auto Member>
CLI::Option* bind_switch(CLI::App& app, const std::string& flag, Options& options) {
  return app.add_flag(flag, options.*Member);
}

Json json_of(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json json_of(const std::filesystem::path& path) { return json_of(path.string()); }
template <class T>
Json json_of(const std::vector<T>& values) {
  return values.empty() ? Json() : Json(Json::Array(values.begin(), values.end()));
}
template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}
template <class T>
requires std::is_arithmetic_v<T> Json json_of(T value) { return value; }

template <auto Member>
Json value_of(const Options& options) {
  return json_of(options.*Member);
}

template <auto Member>
constexpr OptionField option{bind_value<Member>, value_of<Member>};
template <auto Member, ValueOf<Member> highest = std::numeric_limits<ValueOf<Member>>::max()>
constexpr OptionField count{bind_count<Member, highest>, value_of<Member>};
template <auto Member>
constexpr OptionField toggle{bind_switch<Member>, value_of<Member>};
template <auto Member>
constexpr OptionField list{bind_list<Member>, value_of<Member>};
constexpr OptionField reference_name{bind_reference, value_of<&Options::reference>};
constexpr OptionField policy_name{bind_policy, value_of<&Options::policy>};
constexpr OptionField progress_kind{bind_progress, value_of<&Options::progress>};

constexpr std::string_view on_steps = "train evaluate predict plan inspect";
constexpr std::string_view everywhere = "train evaluate predict plan inspect sweep";

const OptionRow rows[] = {
    {"--data", "DATA", everywhere, "common",
     "a path or a known name (cifar10, cifar100, mnist, fashion_mnist), with :train or :test",
     option<&Options::data>},
    {"--validation", "DATA", "train", "common", "data to evaluate on after every epoch",
     option<&Options::validation>},
    {"--epochs", "N", "train", "common", "how often to go over the data (1)",
     count<&Options::epochs>},
    {"--batch", "N", on_steps, "common", "samples in a step (32)",
     count<&Options::batch, largest_batch>},
    {"--batch", "LIST", "sweep", "common",
     "batch sizes, as 256,1024 (256,1024,4096,8192,16384,50000)", list<&Options::batches>},
    {"--device", "LIST", "sweep", "common", "devices, as cpu,reference (cpu)",
     list<&Options::devices>},
    {"--epochs", "N", "sweep", "common", "epochs of a cell, of which the fastest counts (10)",
     count<&Options::cell_epochs>},
    {"--samples", "N", "sweep", "common", "only the first N samples, for a quick look",
     count<&Options::limit>},
    {"--plot", "FILE", "sweep", "common", "a picture of the time of a sample, as .svg",
     option<&Options::plot>},
    {"--csv", "FILE", "sweep", "common", "the table as a .csv file", option<&Options::csv>},
    {"--reference", "article", "sweep", "common",
     "beside the cells, what the article measured (TPU v2, half a K80)", reference_name},
    {"--optimizer", "NAME", "train plan inspect sweep", "common",
     "as Keras writes it: adam, \"SGD(learning_rate=0.1, momentum=0.9)\"",
     option<&Options::optimizer>},
    {"--loss", "NAME", "train evaluate plan inspect sweep", "common",
     "as Keras writes it: mse, \"CategoricalCrossentropy(label_smoothing=0.1)\"",
     option<&Options::loss>},
    {"--metrics", "NAME", "train evaluate plan inspect sweep", "common",
     "metrics besides the loss; may be given several times", option<&Options::metrics>},
    {"--transform", "LAYER", everywhere, "common",
     "a Keras preprocessing layer before the model: \"Rescaling(scale=1/255)\"; in order",
     option<&Options::transforms>},
    {"--seed", "N", "train predict zoo sweep", "common", "start of all random numbers (0)",
     option<&Options::seed>},
    {"--out", "PATH", "train predict zoo sweep", "common",
     "the folder (train, sweep), the file to write (predict, zoo)", option<&Options::out>},

    {"--validation-split", "F", "train", "data", "evaluate on the last part F of the data",
     option<&Options::validation_split>},
    {"--targets", "FILE", everywhere, "data", "the targets that belong to a .npy file",
     option<&Options::targets>},
    {"--limit", "N", on_steps, "data", "only the first N samples", count<&Options::limit>},
    {"--label-offset", "N", "train evaluate plan inspect sweep", "data",
     "added to every label: -1 where classes count from 1", option<&Options::label_offset>},
    {"--class-weight", "JSON", "train sweep", "data", "weights of classes: '{\"0\": 1, \"1\": 3}'",
     option<&Options::class_weight>},
    {"--no-shuffle", "", "train sweep", "training", "take the samples in their order",
     toggle<&Options::no_shuffle>},
    {"--steps-per-epoch", "N", "train", "training", "end an epoch after N steps",
     count<&Options::steps_per_epoch>},
    {"--weights", "FILE", everywhere, "model", "weights for a .json architecture",
     option<&Options::weights>},

    {"--device", "NAME", on_steps, "machine",
     "cpu (default), reference; through plugins: cpu-xla, cuda, tpu, pjrt:PATH, with #N devices",
     option<&Options::device>},
    {"--plugin-option", "NAME=VALUE", everywhere, "machine",
     "a setting of the device's plugin; may be given several times",
     option<&Options::plugin_options>},
    {"--replicas", "R", "train plan inspect sweep", "machine",
     "equal slices of a batch, each with its own batch statistics (one for each device)",
     count<&Options::replicas, most_replicas>},
    {"--threads", "T", everywhere, "machine",
     "threads, 1 to 1024 (one for each core); never changes a result, with or without --memory",
     count<&Options::threads, most_threads>},
    {"--isa", "NAME", everywhere, "machine", "force a lesser instruction set: avx512, avx2, sse4",
     option<&Options::isa>},
    {"--policy", "NAME", everywhere, "machine",
     "what layers without a dtype policy of their own have: float32 (default), mixed_bfloat16",
     policy_name},
    {"--matmul-precision", "NAME", everywhere, "machine",
     "highest (default): as sums in float32; high, default: faster",
     option<&Options::matmul_precision>},
    {"--memory", "SIZE", "train evaluate predict plan sweep", "machine",
     "a ceiling for a step, as 4GiB (what the machine has free); what does not fit is cut",
     option<&Options::memory>},
    {"--max-batch", "", "plan", "machine", "the largest batch that fits without being cut",
     toggle<&Options::max_batch>},
    {"--without-pass", "NAME", everywhere, "machine", "switch a compiler pass off",
     option<&Options::disabled_passes>},

    {"--json", "", "train evaluate predict plan inspect doctor zoo explain sweep", "output",
     "one JSON document on stdout", toggle<&Options::json>},
    {"--quiet", "", everywhere, "output", "no progress and no notes", toggle<&Options::quiet>},
    {"--progress", "KIND", "train evaluate predict sweep", "output", "auto, bar, plain or none",
     progress_kind},
    {"--overwrite", "", "train sweep", "output",
     "write into a run folder that exists; sweep: measure all anew", toggle<&Options::overwrite>},
    {"--graph", "", "inspect", "output", "the training step before any pass, as text",
     toggle<&Options::graph>},
    {"--stablehlo", "", "inspect", "output",
     "the training step as the StableHLO text that PJRT plugins compile",
     toggle<&Options::stablehlo>},
    {"--kernels", "", "inspect", "output",
     "which kernel takes which node, why, and at what predicted cost", toggle<&Options::kernels>},
    {"--measure", "", "inspect", "output", "--kernels with measured times, of steps on zeros",
     toggle<&Options::measure>},
    {"--passes", "", "inspect", "output", "the compiler's passes, their times and results",
     toggle<&Options::passes>},
    {"--dump", "PASS", "inspect", "output", "the training step after a pass, as text",
     option<&Options::dumps>},
    {"--profile", "", "train", "output", "at the end, the time by layer and by kernel",
     toggle<&Options::profile>},
    {"--trace", "FILE", "train", "output",
     "the first 10 steps, kernel by kernel, for chrome://tracing or Perfetto",
     option<&Options::trace>},
};

}  // namespace

std::span<const OptionRow> option_rows() { return rows; }

bool takes(const OptionRow& row, std::string_view command) {
  std::string padded = fmt::format(" {} ", row.commands);
  return padded.find(fmt::format(" {} ", command)) != std::string::npos;
}

}  // namespace hornbeam
