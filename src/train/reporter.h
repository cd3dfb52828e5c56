// Reporters are told what a run does. The fit loop is quiet unless one is attached.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>

#include "train/history.h"

namespace hornbeam {

class Reporter {
 public:
  virtual ~Reporter() = default;
  virtual void train_begin(int64_t /*epochs*/) {}
  virtual void epoch_begin(int64_t /*epoch*/, int64_t /*steps*/) {}
  // After step `step` (counted from 1) of an epoch; logs are the running values of the epoch.
  virtual void step_end(int64_t /*step*/, const Logs& /*logs*/) {}
  virtual void epoch_end(const EpochRecord& /*record*/) {}
};

// Keras 3's bar, redrawn in place; for a terminal. At most 20 drawings a second.
class ProgressBar : public Reporter {
 public:
  ProgressBar(std::ostream& out, bool color) : out_(out), color_(color) {}
  void train_begin(int64_t epochs) override { epochs_ = epochs; }
  void epoch_begin(int64_t epoch, int64_t steps) override;
  void step_end(int64_t step, const Logs& logs) override;
  void epoch_end(const EpochRecord& record) override;

 private:
  using Clock = std::chrono::steady_clock;
  void draw(int64_t step, double seconds, const Logs& logs, bool done);
  double elapsed() const;

  std::ostream& out_;
  bool color_;
  int64_t epochs_ = 0, steps_ = 0;
  size_t drawn_width_ = 0;
  Clock::time_point start_, last_drawn_;
};

// One line an epoch and at most a few within a long one; no control characters. For pipes and logs.
class PlainLines : public Reporter {
 public:
  explicit PlainLines(std::ostream& out) : out_(out) {}
  void train_begin(int64_t epochs) override { epochs_ = epochs; }
  void epoch_begin(int64_t epoch, int64_t steps) override;
  void step_end(int64_t step, const Logs& logs) override;
  void epoch_end(const EpochRecord& record) override;

 private:
  using Clock = std::chrono::steady_clock;
  std::string epoch_text() const;
  std::ostream& out_;
  int64_t epochs_ = 0, epoch_ = 0, steps_ = 0;
  int next_quarter_ = 1;
  Clock::time_point start_;
};

// "12s", "1:05", "1:02:03" as Keras writes them, and the time of one step: "245us", "8ms", "1s".
std::string duration_text(double seconds);
std::string step_time_text(double seconds);
// " - accuracy: 0.3000 - loss: 1.0432e-05"
std::string logs_text(const Logs& logs);

}  // namespace hornbeam
