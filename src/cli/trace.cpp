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
                               {"node", static_cast<int64_t>(record.node)},
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
  const Profile& times = profile.times();
  Json::Array events;
  for (size_t step = 0; step < times.traced_runs(); ++step) {
    std::span<const Profile::Moment> moments = times.traced_run(step);
    for (size_t i = 0; i < profile.kernels().size(); ++i)
      events.push_back(event(profile.kernels()[i],
                             microseconds(moments[i] - times.traced_run(0)[0]),
                             microseconds(moments[i + 1] - moments[i]), step));
  }
  return Json::object({{"traceEvents", events}, {"displayTimeUnit", "ms"}});
}

}  // namespace hornbeam
