#include "cli/trace.h"

#include <fmt/format.h>

namespace hornbeam {
namespace {

double microseconds(Profile::Clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

// A complete event ("X"): the times are microseconds.
Json event(const KernelRecord& record, double begin, double duration, size_t step) {
  const Origin origin = origin_of(record.scope);
  Json details = Json::object({{"step", static_cast<int64_t>(step)},
                               {"node", record.node},
                               {"layer", origin.layer},
                               {"result", to_string(record.result)},
                               {"kernel", record.kernel},
                               {"operations", record.operations},
                               {"bytes", record.bytes}});
  return Json::object({{"name", fmt::format("{} ({})", record.op, record.kernel)},
                       {"cat", name_of(origin.phase)},
                       {"ph", "X"},
                       {"pid", 1},
                       {"tid", 1},
                       {"ts", begin},
                       {"dur", duration},
                       {"args", details}});
}

}  // namespace

Json chrome_trace(const StepProfile& profile) {
  Json::Array events;
  std::span<const Profile::Ended> traced = profile.times().traced();
  size_t runs = 0;
  for (size_t i = 0; i < traced.size(); ++i) {
    if (!traced[i].kernel) {
      ++runs;
      continue;
    }
    events.push_back(event(profile.kernels()[*traced[i].kernel],
                           microseconds(traced[i - 1].moment - traced[0].moment),
                           microseconds(traced[i].moment - traced[i - 1].moment), runs - 1));
  }
  return Json::object({{"traceEvents", events}, {"displayTimeUnit", "ms"}});
}

}  // namespace hornbeam
