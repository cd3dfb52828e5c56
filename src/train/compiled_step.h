// A step as the trainer holds it: compiled, with its buffers, and the means of the epoch it is in.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "train/trainer.h"

namespace hornbeam {

inline constexpr int64_t batches_ahead = 2;  // filled while steps run

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A log of an epoch: the mean of what the steps gave, by their counts.
struct EpochMean {
  std::string name;
  size_t value = 0;                   // the output of the step that has it
  std::optional<size_t> count_value;  // the output that has its count; else the real samples count
  double total = 0, count = 0;
};

// A run of a step that was started: where its results are, or will be.
struct StartedRun {
  std::vector<Buffer> outputs;  // in the order of the graph's ports
  double samples = 0;           // real ones of its batch
};

// A compiled step with its buffers, in the order of the graph's ports, and the means of an epoch.
struct Trainer::Compiled {
  StepShape asked, shape;  // what was asked for, and what it was rounded up to
  std::vector<Port> inputs, outputs;
  Types input_types;  // of the whole batch
  std::unique_ptr<Executable> executable;
  std::vector<Buffer> input_buffers;
  std::vector<StartedRun> runs;  // as many as may be on their way, taken in turn
  int64_t started = 0, finished = 0;
  std::vector<EpochMean> means;
  double samples = 0;
  double last_loss = 0;
  double compile_seconds = 0;
  Tensor scalar{DType::float32, {}}, valid{DType::int32, {}};

  Buffer& input(std::string_view name) {
    auto found = std::ranges::find(inputs, name, &Port::name);
    check(found != inputs.end(), "an input of the step");
    return input_buffers[static_cast<size_t>(found - inputs.begin())];
  }
  bool has_input(std::string_view name) const {
    return std::ranges::find(inputs, name, &Port::name) != inputs.end();
  }
  StartedRun& run_number(int64_t number) { return runs[static_cast<size_t>(number) % runs.size()]; }
  int64_t on_their_way() const { return started - finished; }
  int64_t most_ahead() const { return std::ssize(runs) - 1; }
  void reset() {
    for (EpochMean& mean : means) mean.total = mean.count = 0;
    samples = 0;
    finished = started;  // what an error left behind counts no more
  }
};

}  // namespace hornbeam
