#include "train/step_profile.h"

#include <algorithm>
#include <numeric>

namespace hornbeam {
namespace {

double seconds_between(Profile::Moment begin, Profile::Moment end) {
  return std::chrono::duration<double>(end - begin).count();
}

// The entry that `same` is true for; a new one at the end when there is none.
template <class Entry, class Same>
Entry& entry_for(std::vector<Entry>& entries, Same same, Entry otherwise) {
  auto found = std::ranges::find_if(entries, same);
  return found != entries.end() ? *found : entries.emplace_back(std::move(otherwise));
}

}  // namespace

void StepProfile::begin(const Executable& executable) {
  kernels_ = executable.kernels();
  times_.emplace(kernels_, traced_steps_);
}

void StepProfile::batch_ready() { waiting_ += seconds_between(step_began_, Profile::Clock::now()); }

void StepProfile::end_step() {
  const Profile::Moment now = Profile::Clock::now();
  seconds_ += seconds_between(step_began_, now);
  step_began_ = now;
}

double StepProfile::per_step(double seconds) const {
  return seconds / static_cast<double>(std::max<int64_t>(times_->runs(), 1));
}

double LayerTimes::all_seconds() const {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

std::vector<LayerTimes> times_by_layer(const StepProfile& profile) {
  std::vector<LayerTimes> layers;
  for (size_t i = 0; i < profile.kernels().size(); ++i) {
    const Origin origin = origin_of(profile.kernels()[i].scope);
    LayerTimes& times =
        entry_for(layers, [&](const LayerTimes& each) { return each.layer == origin.layer; },
                  {std::string(origin.layer)});
    times.seconds[static_cast<size_t>(origin.phase)] += profile.kernel_seconds(i);
  }
  return layers;
}

std::vector<KindTimes> times_by_kind(const StepProfile& profile) {
  std::vector<KindTimes> kinds;
  for (size_t i = 0; i < profile.kernels().size(); ++i) {
    const KernelRecord& record = profile.kernels()[i];
    const Phase phase = origin_of(record.scope).phase;
    KindTimes& times = entry_for(kinds,
                                 [&](const KindTimes& each) {
                                   return each.op == record.op && each.kernel == record.kernel &&
                                          each.phase == phase;
                                 },
                                 {std::string(record.op), record.kernel, phase});
    const double calls = static_cast<double>(record.calls);
    times.calls += record.calls;
    times.seconds += profile.kernel_seconds(i);
    times.operations += calls * record.operations;
    times.bytes += calls * record.bytes;
  }
  std::ranges::stable_sort(kinds, std::greater<>(), &KindTimes::seconds);
  return kinds;
}

}  // namespace hornbeam
