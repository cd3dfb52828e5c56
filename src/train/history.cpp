#include "train/history.h"

#include <fmt/format.h>

#include <cmath>

namespace hornbeam {
namespace {

std::string json_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return fmt::format("{}", value);
}

}  // namespace

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

std::string history_jsonl(const History& history) {
  std::string text;
  for (const EpochRecord& record : history.epochs) {
    text += fmt::format("{{\"epoch\": {}, \"seconds\": {}, \"samples\": {}, \"logs\": {{",
                        record.epoch, json_number(record.seconds), record.samples);
    const char* separator = "";
    for (const auto& [name, value] : record.logs) {
      text += fmt::format("{}\"{}\": {}", separator, name, json_number(value));
      separator = ", ";
    }
    text += "}}\n";
  }
  return text;
}

}  // namespace hornbeam
