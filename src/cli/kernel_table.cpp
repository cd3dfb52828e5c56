#include "cli/kernel_table.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/table.h"

namespace hornbeam {
namespace {

std::string workspace_text(int64_t bytes) {
  return bytes == 0 ? "" : mebi_text(static_cast<double>(bytes));
}

TableRow row_of(const KernelRecord& record) {
  const Origin origin = origin_of(record.scope);
  return {"%" + record.node,
          std::string(origin.layer),
          std::string(name_of(origin.phase)),
          std::string(record.op),
          to_string(record.result),
          record.kernel,
          std::to_string(record.calls),
          giga_text(record.operations),
          mebi_text(record.bytes),
          workspace_text(record.workspace_bytes),
          milliseconds_text(static_cast<double>(record.calls) * record.seconds)};
}

void add_times(TableRow& row, const KernelRecord& record, double seconds) {
  const double calls = static_cast<double>(record.calls);
  row.push_back(milliseconds_text(seconds));
  row.push_back(rate_text(calls * record.operations, seconds));
  row.push_back(rate_text(calls * record.bytes, seconds));
}

// The kernels that were asked before and why they refused.
std::string refusals_text(const KernelRecord& record) {
  return record.refusals.empty() ? "" : "not " + join(record.refusals, "; not ");
}

}  // namespace

std::string kernel_table(const std::vector<KernelRecord>& kernels, const StepProfile* profile) {
  TableRow heading{"node",  "layer", "phase",         "op",          "result", "kernel", "calls",
                   "GFLOP", "MiB",   "workspace MiB", "predicted ms"};
  if (profile != nullptr) heading.insert(heading.end(), {"ms", "GFLOP/s", "GB/s"});
  heading.push_back("why");
  std::vector<TableRow> rows{heading};
  for (size_t i = 0; i < kernels.size(); ++i) {
    TableRow row = row_of(kernels[i]);
    if (profile != nullptr) add_times(row, kernels[i], profile->kernel_seconds(i));
    row.push_back(refusals_text(kernels[i]));
    rows.push_back(std::move(row));
  }
  return table_text(profile != nullptr ? "<<<<<<>>>>>>>><" : "<<<<<<>>>>><", rows);
}

Json kernels_json(const std::vector<KernelRecord>& kernels, const StepProfile* profile) {
  Json::Array all;
  for (size_t i = 0; i < kernels.size(); ++i) {
    const KernelRecord& record = kernels[i];
    const Origin origin = origin_of(record.scope);
    Json entry =
        Json::object({{"node", record.node},
                      {"layer", origin.layer},
                      {"phase", name_of(origin.phase)},
                      {"op", record.op},
                      {"result", to_string(record.result)},
                      {"kernel", record.kernel},
                      {"calls", record.calls},
                      {"operations", record.operations},
                      {"bytes", record.bytes},
                      {"workspace_bytes", record.workspace_bytes},
                      {"predicted_seconds", record.seconds},
                      {"refusals", Json::Array(record.refusals.begin(), record.refusals.end())}});
    if (profile != nullptr) entry.set("seconds", profile->kernel_seconds(i));
    all.push_back(std::move(entry));
  }
  return all;
}

}  // namespace hornbeam
