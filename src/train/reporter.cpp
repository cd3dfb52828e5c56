#include "train/reporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "base/text.h"

namespace hornbeam {
namespace {

constexpr int bar_width = 20;
constexpr double seconds_between_drawings = 0.05;
constexpr double seconds_between_lines = 30;

std::string repeated(std::string_view piece, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) text += piece;
  return text;
}

// Columns on the screen: bytes that are neither escape sequences nor UTF-8 continuations.
size_t visible_width(std::string_view text) {
  size_t width = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b')
      i = std::min(text.find('m', i), text.size());
    else if ((text[i] & 0xC0) != 0x80)
      ++width;
  }
  return width;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

std::string duration_text(double seconds) {
  int64_t whole = static_cast<int64_t>(seconds);
  if (whole > 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole % 3600 / 60, whole % 60);
  if (whole > 60) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}s", whole);
}

std::string step_time_text(double seconds) {
  if (seconds >= 1 || seconds == 0) return fmt::format("{:.0f}s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.0f}ms", seconds * 1e3);
  return fmt::format("{:.0f}us", seconds * 1e6);
}

std::string logs_text(const Logs& logs) {
  std::string text;
  for (const auto& [name, value] : logs)
    text += std::abs(value) > 1e-3 ? fmt::format(" - {}: {:.4f}", printable(name), value)
                                   : fmt::format(" - {}: {:.4e}", printable(name), value);
  return text;
}

double ProgressBar::elapsed() const { return seconds_since(start_); }

void ProgressBar::epoch_begin(int64_t epoch, int64_t steps) {
  steps_ = steps;
  drawn_width_ = 0;
  start_ = Clock::now();
  last_drawn_ = {};
  if (epochs_ > 1) out_ << fmt::format("Epoch {}/{}\n", epoch + 1, epochs_) << std::flush;
}

void ProgressBar::step_end(int64_t step, const Logs& logs) {
  if (seconds_since(last_drawn_) < seconds_between_drawings) return;
  last_drawn_ = Clock::now();
  draw(step, elapsed(), logs, false);
}

void ProgressBar::epoch_end(const EpochRecord& record) {
  draw(record.steps, record.seconds, record.logs, true);
  out_ << "\n" << std::flush;
}

void ProgressBar::draw(int64_t step, double seconds, const Logs& logs, bool done) {
  auto colored = [&](std::string_view code, const std::string& text) {
    return color_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  };
  double each = seconds / static_cast<double>(std::max<int64_t>(step, 1));
  double shown = done ? seconds : each * static_cast<double>(steps_ - step);
  int64_t filled = std::min<int64_t>(bar_width, bar_width * step / std::max<int64_t>(steps_, 1));
  int digits = static_cast<int>(std::to_string(steps_).size());
  std::string line = colored("1", fmt::format("{:>{}}/{}", step, digits, steps_)) + " " +
                     colored("32", repeated("━", filled)) +
                     colored("37", repeated(color_ ? "━" : " ", bar_width - filled)) + " " +
                     colored("1", duration_text(shown)) + " " + step_time_text(each) + "/step" +
                     logs_text(logs);
  size_t width = visible_width(line);
  size_t erase = drawn_width_ > width ? drawn_width_ - width : 0;
  drawn_width_ = width;
  out_ << "\r" << line << std::string(erase, ' ') << std::flush;
}

void PlainLines::epoch_begin(int64_t epoch, int64_t steps) {
  epoch_ = epoch;
  steps_ = steps;
  next_quarter_ = 1;
  start_ = Clock::now();
}

// Evaluations and predictions are no epochs.
std::string PlainLines::epoch_text() const {
  return epochs_ == 0 ? "" : fmt::format("epoch {}/{}: ", epoch_ + 1, epochs_);
}

// A quarter of a long epoch is worth a line.
void PlainLines::step_end(int64_t step, const Logs& logs) {
  if (next_quarter_ > 3 || 4 * step < next_quarter_ * steps_) return;
  double seconds = seconds_since(start_);
  while (next_quarter_ <= 3 && 4 * step >= next_quarter_ * steps_) ++next_quarter_;
  if (seconds < seconds_between_lines) return;
  out_ << fmt::format("{}step {}/{} - {}{}\n", epoch_text(), step, steps_, duration_text(seconds),
                      logs_text(logs))
       << std::flush;
}

void PlainLines::epoch_end(const EpochRecord& record) {
  double each = record.seconds / static_cast<double>(std::max<int64_t>(record.steps, 1));
  out_ << fmt::format("{}{} - {} - {}/step{}\n", epoch_text(), counted(record.steps, "step"),
                      duration_text(record.seconds), step_time_text(each), logs_text(record.logs))
       << std::flush;
}

}  // namespace hornbeam
