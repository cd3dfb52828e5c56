#include "cli/run_folder.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "cli/report.h"
#include "cli/session.h"
#include "keras/model_writer.h"
#include "keras/save.h"

namespace hornbeam {
namespace fs = std::filesystem;
namespace {

fs::path next_free(const std::string& model_name) {
  for (int number = 1;; ++number) {
    std::string prefix = fmt::format("{:03}-", number);
    bool taken = false;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("runs", ignored))
      taken |= entry.path().filename().string().starts_with(prefix);
    if (!taken) return fs::path("runs") / (prefix + model_name);
  }
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

// What an earlier run left must not stand beside the settings of this one. The model that this one
// goes on from stays until its successor takes the place.
void remove_earlier(const fs::path& folder, const Options& options) {
  std::error_code ignored;
  for (const char* name : {"last.keras", "history.csv", "history.jsonl", "plan.txt"})
    if (!fs::equivalent(folder / name, options.model, ignored)) fs::remove(folder / name, ignored);
}

}  // namespace

RunFolder::RunFolder(const Options& options, const std::string& model_name,
                     const CompileConfig& config)
    : path_(options.out.empty() ? next_free(model_name) : options.out) {
  if (fs::exists(path_) && !options.overwrite)
    throw Error("H303", {.message = fmt::format("'{}' exists already", path_.string()),
                         .help = "choose another --out, or add --overwrite"});
  make_folder(path_);
  remove_earlier(path_, options);
  write_text(path_ / "config.json", strict_json_text(run_settings(options, config)) + "\n");
}

void RunFolder::write_plan(const std::string& text) const { write_text(path_ / "plan.txt", text); }

void RunFolder::write_history(const History& history) const {
  write_text(path_ / "history.csv", history_csv(history));
  std::string lines;
  for (const EpochRecord& record : history.epochs)
    lines += strict_json_text(epoch_json(record)) + "\n";
  write_text(path_ / "history.jsonl", lines);
}

void RunFolder::write_model(Model& model, const CompileConfig& config,
                            const OptimizerState& state) const {
  save_keras(model_path(), model, &config, &state);
}

}  // namespace hornbeam
