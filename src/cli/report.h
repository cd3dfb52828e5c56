// What commands print: plans as text and JSON, the JSON document of a run.
#pragma once

#include <filesystem>

#include "base/json.h"
#include "cli/options.h"
#include "nn/model.h"
#include "runtime/memory_plan.h"
#include "train/history.h"

namespace hornbeam {

std::string plan_text(const MemoryPlan& plan);
// Why a step runs with fewer threads than were asked for; empty when it does not.
std::string threads_text(const PlannedThreads& threads);
Json plan_json(const MemoryPlan& plan, bool fits, int replicas);
Json train_report(const Options& options, const std::filesystem::path& run, Model& model,
                  const MemoryPlan& plan, const History& history, int replicas);
Json epoch_json(const EpochRecord& record);
Json logs_json(const Logs& logs);
void print_json(const Json& document);  // the one document of --json, on standard output
// "4GiB", "512 MB", "1000": H302 for anything else.
uint64_t parse_bytes(const std::string& text, const std::string& option);
int64_t measured_peak_bytes();  // the most memory this process has had resident

}  // namespace hornbeam
