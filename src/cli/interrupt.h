// Ctrl-C, and the signal that asks a process to end: the first lets the work come to a whole end,
// the second ends at once.
#pragma once

namespace hornbeam {

// From now on until its end. One at a time.
class InterruptWatch {
 public:
  // The first signal lets the step finish and the model be saved.
  InterruptWatch();
  // `answer` is said when the first signal comes. With `patient` further ones change nothing: for
  // work that ends soon, and must not leave anything half done.
  InterruptWatch(const char* answer, bool patient);
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

  bool asked() const;  // whether a signal came
};

}  // namespace hornbeam
