#include "cli/report.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <charconv>
#include <iostream>
#include <map>
#include <numeric>

#include "base/error.h"
#include "base/text.h"
#include "cli/session.h"

namespace hornbeam {
namespace {

// What no tensor uses at the peak: blocks of different sizes leave gaps.
int64_t gap_bytes(const MemoryPlan& plan) {
  return plan.peak_bytes -
         std::accumulate(plan.peak_by_use.begin(), plan.peak_by_use.end(), int64_t{0});
}

std::string microbatch_text(const Microbatches& cut) {
  if (cut.samples == 0) return "";
  std::string text = fmt::format(
      "\nThe batch does not fit whole: each replica runs {} microbatches of {} samples, with the "
      "same\n"
      "result to rounding. Kept between them: {}. Predicted time of a step: {:.2f} of the uncut "
      "one\n",
      cut.parts, cut.samples, bytes_text(static_cast<uint64_t>(cut.kept_bytes)), cut.slowdown);
  if (cut.repeated.empty()) return text;
  return text +
         fmt::format("Computed again instead of kept: {}\n", printable(join(cut.repeated, ", ")));
}

}  // namespace

std::string threads_text(const PlannedThreads& threads) {
  if (threads.missing_bytes == 0) return "";
  return fmt::format(
      "runs with {} of {} threads: --memory larger by {} has room for the workspaces of all (the "
      "result is the same)",
      threads.used, threads.asked, bytes_text(static_cast<uint64_t>(threads.missing_bytes)));
}

std::string plan_text(const MemoryPlan& plan) {
  auto line = [](std::string_view name, int64_t bytes) {
    return fmt::format("  {:14} {:>12}  {:>15} bytes\n", name,
                       bytes_text(static_cast<uint64_t>(bytes)), thousands(bytes));
  };
  std::string text = "Memory of a training step, at its peak\n";
  for (size_t i = 0; i < memory_uses; ++i)
    if (plan.peak_by_use[i] > 0)
      text += line(name_of(static_cast<MemoryUse>(i)), plan.peak_by_use[i]);
  if (gap_bytes(plan) > 0) text += line("gaps", gap_bytes(plan));
  text += line("together", plan.peak_bytes);
  text += microbatch_text(plan.microbatches);
  if (std::string fewer = threads_text(plan.threads); !fewer.empty())
    text += "\nThe step " + fewer + "\n";
  text += "\nThe largest tensors\n";
  for (const PlannedTensor& tensor : plan.largest)
    text += fmt::format("  {:>12}  {:12} {}  {}\n", bytes_text(static_cast<uint64_t>(tensor.bytes)),
                        name_of(tensor.use), to_string(tensor.type), printable(tensor.name));
  return text;
}

Json plan_json(const MemoryPlan& plan, bool fits, int replicas) {
  Json uses = Json::object({});
  for (size_t i = 0; i < memory_uses; ++i)
    uses.set(name_of(static_cast<MemoryUse>(i)), plan.peak_by_use[i]);
  uses.set("gaps", gap_bytes(plan));
  Json::Array largest, recomputed;
  for (const std::string& layer : plan.microbatches.repeated) recomputed.push_back(layer);
  for (const PlannedTensor& tensor : plan.largest)
    largest.push_back(Json::object({{"name", tensor.name},
                                    {"type", to_string(tensor.type)},
                                    {"bytes", tensor.bytes},
                                    {"use", name_of(tensor.use)}}));
  return Json::object({{"fits", fits},
                       {"planned_peak_bytes", plan.peak_bytes},
                       {"by_use", uses},
                       {"largest", largest},
                       {"slices", replicas * plan.microbatches.parts},
                       {"microbatch", plan.microbatches.samples},
                       {"predicted_slowdown", plan.microbatches.slowdown},
                       {"recomputed", recomputed},
                       {"threads", plan.threads.used}});
}

Json logs_json(const Logs& logs) {
  Json object = Json::object({});
  for (const auto& [name, value] : logs) object.set(name, value);
  return object;
}

void print_json(const Json& document) { std::cout << strict_json_text(document) << "\n"; }

Json epoch_json(const EpochRecord& record) {
  double samples = static_cast<double>(record.samples);
  return Json::object({{"epoch", record.epoch},
                       {"seconds", record.seconds},
                       {"samples", record.samples},
                       {"samples_per_second", samples / record.seconds},
                       {"us_per_sample", record.seconds / samples * 1e6},
                       {"logs", logs_json(record.logs)}});
}

Json train_report(const Options& options, const std::filesystem::path& run, Model& model,
                  const MemoryPlan& plan, const History& history, int replicas) {
  Json::Array epochs;
  for (const EpochRecord& record : history.epochs) epochs.push_back(epoch_json(record));
  return Json::object({{"run", run.string()},
                       {"model", options.model},
                       {"device", options.device},
                       {"replicas", replicas},
                       {"threads", plan.threads.used},
                       {"policy", model.policy_names()},
                       {"batch", options.batch},
                       {"slices", replicas * plan.microbatches.parts},
                       {"parameters", model.parameters()},
                       {"planned_peak_bytes", plan.peak_bytes},
                       {"measured_peak_bytes", measured_peak_bytes()},
                       {"compile_seconds", history.compile_seconds},
                       {"first_step_seconds", history.first_step_seconds},
                       {"epochs", epochs}});
}

uint64_t parse_bytes(const std::string& text, const std::string& option) {
  static const std::map<std::string, double> units{
      {"", 1},         {"B", 1},       {"KB", 1e3},   {"MB", 1e6},
      {"GB", 1e9},     {"TB", 1e12},   {"KiB", 1024}, {"MiB", 1024.0 * 1024},
      {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  double number = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(end, text.data() + text.size());
  unit.erase(0, unit.find_first_not_of(' ') == std::string::npos ? unit.size()
                                                                 : unit.find_first_not_of(' '));
  auto found = units.find(unit);
  if (failure != std::errc() || found == units.end() || !(number > 0) ||
      number * found->second > 0x1p62)
    throw Error("H302", {.message = fmt::format("'{}' is no amount of memory", text),
                         .place = option,
                         .help = "write it as 4GiB or 500MB"});
  return static_cast<uint64_t>(number * found->second);
}

int64_t measured_peak_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<int64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace hornbeam
