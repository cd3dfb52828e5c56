// What happened in a run: one record an epoch, in the order and with the names of Keras' History.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hornbeam {

// Names and values of one moment: the metrics sorted by name, then the val_ ones likewise.
using Logs = std::vector<std::pair<std::string, double>>;

struct EpochRecord {
  int64_t epoch = 0;  // counted from 0
  double seconds = 0;
  int64_t steps = 0;
  int64_t samples = 0;
  Logs logs;
};

struct History {
  std::vector<EpochRecord> epochs;
  double compile_seconds = 0;
  double first_step_seconds = 0;  // from the call of fit to the end of the first step
  bool interrupted = false;       // asked to end within an epoch, which has no record
};

std::string history_csv(const History& history);  // epoch, then the logs; as Keras' CSVLogger

}  // namespace hornbeam
