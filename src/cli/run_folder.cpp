#include "cli/run_folder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/history_chart.h"
#include "cli/report.h"
#include "cli/session.h"
#include "keras/model_writer.h"
#include "keras/save.h"

namespace hornbeam {
namespace fs = std::filesystem;
namespace {

// The name of a model as a part of a path: names come from files and may hold anything.
std::string folder_name(std::string_view model_name) {
  constexpr size_t longest = 100;  // bytes; file systems take 255
  std::string name = printable(model_name.substr(0, longest));
  std::ranges::replace(name, '/', '_');
  return name;
}

bool is_taken(const std::string& prefix) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("runs", ignored))
    if (entry.path().filename().string().starts_with(prefix)) return true;
  return false;
}

fs::path folder_for(const Options& options, const std::string& model_name) {
  if (options.out.empty()) return new_numbered_folder(model_name);
  if (!make_new_folder(options.out) && !options.overwrite)
    throw Error("H303", {.message = fmt::format("'{}' exists already", options.out.string()),
                         .help = "choose another --out, or add --overwrite"});
  return options.out;
}

// Every setting after merging; what was left to the program stands as it was chosen.
Json run_settings(const Options& options, const CompileConfig& config) {
  Json settings = Json::object({{"version", HORNBEAM_VERSION},
                                {"command", options.command},
                                {"model", options.model},
                                {"compile", compile_config_json(config)}});
  const Json given = settings_json(options);
  for (const auto& [name, value] : given.as_object()) settings.set(name, value);
  settings.set("threads", threads_for(options));
  return settings;
}

// What an earlier run left must not stand beside the settings of this one. Its model is worth more:
// it stays until its successor takes the place.
void remove_earlier(const fs::path& folder) {
  std::error_code ignored;
  for (const char* name : {"history.csv", "history.jsonl", "history.svg", "plan.txt"})
    fs::remove(folder / name, ignored);
}

}  // namespace

fs::path new_numbered_folder(std::string_view name) {
  for (int number = 1;; ++number) {
    std::string prefix = fmt::format("{:03}-", number);
    if (is_taken(prefix)) continue;
    fs::path folder = fs::path("runs") / (prefix + folder_name(name));
    if (make_new_folder(folder)) return folder;
  }
}

RunFolder::RunFolder(const Options& options, const std::string& model_name,
                     const CompileConfig& config)
    : path_(folder_for(options, model_name)) {
  remove_earlier(path_);
  write_text(path_ / "config.json", strict_json_text(run_settings(options, config)) + "\n");
}

void RunFolder::write_plan(const std::string& text) const { write_text(path_ / "plan.txt", text); }

void RunFolder::write_history(const History& history) const {
  write_text(path_ / "history.csv", history_csv(history));
  std::string lines;
  for (const EpochRecord& record : history.epochs)
    lines += strict_json_text(epoch_json(record)) + "\n";
  write_text(path_ / "history.jsonl", lines);
  write_text(path_ / "history.svg", history_svg(history));
}

void RunFolder::write_model(Model& model, const CompileConfig& config,
                            const StateSources& state) const {
  save_keras(model_path(), model, &config, state);
}

}  // namespace hornbeam
