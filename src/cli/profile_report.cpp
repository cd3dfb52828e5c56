#include "cli/profile_report.h"

#include <fmt/format.h>

#include "cli/kernel_table.h"
#include "cli/table.h"

namespace hornbeam {
namespace {

// What an average step consists of.
struct Part {
  std::string_view name, text;
  double seconds;
};

std::vector<Part> parts_of(const StepProfile& profile) {
  double kernels = 0;
  for (size_t i = 0; i < profile.kernels().size(); ++i) kernels += profile.kernel_seconds(i);
  const double executable = profile.executable_seconds(), waiting = profile.waiting_seconds();
  return {{"kernels", "kernels", kernels},
          {"between_kernels", "between the kernels", executable - kernels},
          {"waiting_for_data", "waiting for data", waiting},
          {"host", "host: copies of the batch, logs, progress",
           profile.seconds() - executable - waiting}};
}

std::string parts_table(const StepProfile& profile) {
  std::vector<TableRow> rows{{"part", "ms", "share"}};
  for (const Part& part : parts_of(profile))
    rows.push_back({std::string(part.text), milliseconds_text(part.seconds),
                    share_text(part.seconds, profile.seconds())});
  return table_text("<>>", rows);
}

std::string layer_table(const StepProfile& profile) {
  std::vector<TableRow> rows{{"layer", "forward ms", "backward ms", "update ms", "share"}};
  for (const LayerTimes& times : times_by_layer(profile)) {
    TableRow row{times.layer.empty() ? "(the whole step)" : times.layer};
    for (double seconds : times.seconds) row.push_back(milliseconds_text(seconds));
    row.push_back(share_text(times.all_seconds(), profile.seconds()));
    rows.push_back(std::move(row));
  }
  return table_text("<>>>>", rows);
}

std::string kind_table(const StepProfile& profile) {
  std::vector<TableRow> rows{
      {"op", "kernel", "phase", "calls", "ms", "share", "GFLOP", "MiB", "GFLOP/s", "GB/s"}};
  for (const KindTimes& times : times_by_kind(profile))
    rows.push_back({times.op, times.kernel, std::string(name_of(times.phase)),
                    std::to_string(times.calls), milliseconds_text(times.seconds),
                    share_text(times.seconds, profile.seconds()), giga_text(times.operations),
                    mebi_text(times.bytes), rate_text(times.operations, times.seconds),
                    rate_text(times.bytes, times.seconds)});
  return table_text("<<<>>>>>>>", rows);
}

Json layers_json(const StepProfile& profile) {
  Json::Array layers;
  for (const LayerTimes& times : times_by_layer(profile)) {
    Json entry = Json::object({{"layer", times.layer}});
    for (size_t phase = 0; phase < phases; ++phase)
      entry.set(fmt::format("{}_seconds", name_of(static_cast<Phase>(phase))),
                times.seconds[phase]);
    layers.push_back(std::move(entry));
  }
  return layers;
}

Json kinds_json(const StepProfile& profile) {
  Json::Array kinds;
  for (const KindTimes& times : times_by_kind(profile))
    kinds.push_back(Json::object({{"op", times.op},
                                  {"kernel", times.kernel},
                                  {"phase", name_of(times.phase)},
                                  {"calls", times.calls},
                                  {"seconds", times.seconds},
                                  {"operations", times.operations},
                                  {"bytes", times.bytes}}));
  return kinds;
}

}  // namespace

std::string profile_text(const StepProfile& profile) {
  return fmt::format("An average of {} steps: {} ms\n\n{}\n{}\n{}", profile.times().runs(),
                     milliseconds_text(profile.seconds()), parts_table(profile),
                     layer_table(profile), kind_table(profile));
}

Json profile_json(const StepProfile& profile) {
  Json parts = Json::object({});
  for (const Part& part : parts_of(profile)) parts.set(part.name, part.seconds);
  return Json::object({{"steps", profile.times().runs()},
                       {"step_seconds", profile.seconds()},
                       {"parts", parts},
                       {"layers", layers_json(profile)},
                       {"kinds", kinds_json(profile)},
                       {"kernels", kernels_json(profile.kernels(), &profile)}});
}

}  // namespace hornbeam
