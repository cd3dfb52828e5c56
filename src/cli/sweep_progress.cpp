#include "cli/sweep_progress.h"

#include <fmt/format.h>

#include <iostream>

#include "base/text.h"
#include "cli/progress.h"
#include "cli/table.h"

namespace hornbeam {
namespace {

std::string result_text(const Json& row) {
  if (!row.at("error").is_null()) return row.at("error").as_text();
  return fmt::format("{} s an epoch, {} µs a sample",
                     three_digits_text(row.at("seconds_per_epoch").as_number()),
                     three_digits_text(row.at("us_per_sample").as_number()));
}

}  // namespace

SweepProgress::SweepProgress(const Options& options, size_t cells)
    : kind_(progress_for(options)), cells_(cells) {}

void SweepProgress::begin(const Cell& cell) {
  cell_ = fmt::format("[{}/{}] {} on {}, batch {}", ++begun_, cells_, cell.model, cell.device,
                      thousands(cell.batch));
  show(cell_);
}

void SweepProgress::line(std::string_view said) {
  constexpr size_t most = 60;  // a line that wraps cannot be written over
  if (said.starts_with("epoch ")) show(fmt::format("{}: {}", cell_, said.substr(0, most)));
}

void SweepProgress::end(const Json& row, bool earlier) {
  print(fmt::format("{}: {}{}", cell_, result_text(row), earlier ? " (measured before)" : ""));
}

void SweepProgress::stopped() { print(cell_ + ": stopped"); }

void SweepProgress::show(std::string_view text) const {
  if (kind_ == "bar") std::cerr << "\r\x1b[K" << printable(text) << std::flush;
}

void SweepProgress::print(std::string_view text) const {
  if (kind_ == "none") return;
  show("");
  std::cerr << printable(text) << "\n";
}

}  // namespace hornbeam
