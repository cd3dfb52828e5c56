// Ctrl-C, and the signal that asks a process to end: the first lets the step finish and the model
// be saved, the second ends at once.
#pragma once

namespace hornbeam {

// From now on until its end. One at a time.
class InterruptWatch {
 public:
  // `answer` is said when the first signal comes.
  explicit InterruptWatch(
      const char* answer = "finishing the step, then saving; once more ends at once");
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

  bool asked() const;  // whether a signal came
};

}  // namespace hornbeam
