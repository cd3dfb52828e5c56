// The folder of a run: its settings, history, plan and model.
#pragma once

#include <filesystem>
#include <string_view>

#include "cli/options.h"
#include "nn/compile_state.h"
#include "train/history.h"

namespace hornbeam {

// Makes runs/NNN-name with the next free number. Of processes that start at once each gets its own.
std::filesystem::path new_numbered_folder(std::string_view name);

class RunFolder {
 public:
  // --out, or runs/NNN-model with the next free number. Writes config.json. H303 when it exists.
  RunFolder(const Options& options, const std::string& model_name, const CompileConfig& config);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path model_path() const { return path_ / "last.keras"; }
  void write_plan(const std::string& text) const;
  void write_history(const History& history) const;
  void write_model(Model& model, const CompileConfig& config, const StateSources& state) const;

 private:
  std::filesystem::path path_;
};

}  // namespace hornbeam
