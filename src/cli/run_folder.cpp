#include "cli/run_folder.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
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

Json settings(const Options& options) {
  Json::Array transforms;
  for (const std::string& each : options.transforms) transforms.push_back(each);
  return Json::object({{"version", HORNBEAM_VERSION},
                       {"command", options.command},
                       {"model", options.model},
                       {"data", options.data},
                       {"validation", options.validation},
                       {"validation_split", options.validation_split},
                       {"transforms", transforms},
                       {"epochs", options.epochs.value_or(1)},
                       {"batch", options.batch.value_or(32)},
                       {"optimizer", options.optimizer},
                       {"loss", options.loss},
                       {"shuffle", !options.no_shuffle},
                       {"seed", static_cast<int64_t>(options.seed)},
                       {"device", options.device},
                       {"replicas", options.replicas}});
}

}  // namespace

RunFolder::RunFolder(const Options& options, const std::string& model_name)
    : path_(options.out.empty() ? next_free(model_name) : options.out) {
  if (fs::exists(path_) && !options.overwrite)
    throw Error("H303", {.message = fmt::format("'{}' exists already", path_.string()),
                         .help = "choose another --out, or add --overwrite"});
  std::error_code failure;
  fs::create_directories(path_, failure);
  if (failure)
    throw Error("H120", {.message = fmt::format("cannot make the folder '{}': {}", path_.string(),
                                                failure.message())});
  write_text(path_ / "config.json", json_text(settings(options)) + "\n");
}

void RunFolder::write_plan(const std::string& text) const { write_text(path_ / "plan.txt", text); }

void RunFolder::write_history(const History& history) const {
  write_text(path_ / "history.csv", history_csv(history));
  write_text(path_ / "history.jsonl", history_jsonl(history));
}

void RunFolder::write_model(Model& model, const CompileConfig& config,
                            const OptimizerState& state) const {
  save_keras(path_ / "last.keras", model, &config, &state);
}

}  // namespace hornbeam
