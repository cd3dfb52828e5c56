#include "train/history.h"

#include <fmt/format.h>

namespace hornbeam {
std::string history_csv(const History& history) {
  if (history.epochs.empty()) return "epoch\n";
  std::string text = "epoch";
  for (const auto& [name, value] : history.epochs[0].logs) text += "," + name;
  text += "\n";
  for (const EpochRecord& record : history.epochs) {
    text += fmt::format("{}", record.epoch);
    for (const auto& [name, value] : record.logs) text += fmt::format(",{}", value);
    text += "\n";
  }
  return text;
}

}  // namespace hornbeam
