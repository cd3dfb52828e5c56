// The one exception type. It has a code, a message, a place, notes and a help line:
//
//   error[H204]: label 3 is outside the 3 classes of this model
//     --> train.csv:118, column "species"
//      = the last layer `dense_2` has 3 outputs, so labels run from 0 to 2
//   help: labels seem to start at 1
//
// Thrown while building, compiling, loading and reading; `check` is for our own mistakes (H901).
#pragma once

#include <exception>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "base/error_codes.h"

namespace hornbeam {

// Looks the code up at compile time: a code that is not in the table does not compile.
struct CodeName {
  const ErrorCode* code;

  consteval CodeName(const char* name) : code(find(name)) {}

 private:
  static consteval const ErrorCode* find(std::string_view name) {
    for (const ErrorCode& known : error_codes)
      if (known.name == name) return &known;
    throw "unknown error code";
  }
};

struct ErrorParts {
  std::string message;             // what was expected and what was received
  std::string place;               // where: a file, a layer, an option
  std::vector<std::string> notes;  // facts that explain
  std::string help;                // what to do
};

class Error : public std::exception {
 public:
  Error(CodeName code, ErrorParts parts);

  const ErrorCode& code() const { return *code_; }
  const ErrorParts& parts() const { return parts_; }
  const char* what() const noexcept override { return text_.c_str(); }  // the whole text, as above

  // The same error with a place, for callers who know it better. Keeps a place that is there.
  Error at(std::string place) const;
  // The same error at a better place; a note keeps the one it had.
  Error moved_to(std::string place) const;
  // The same error with one more note.
  Error with_note(std::string note) const;

 private:
  Error(const ErrorCode* code, ErrorParts parts);
  const ErrorCode* code_;
  ErrorParts parts_;
  std::string text_;
};

// Throws H901 with the source position when `condition` is false.
void check(bool condition, std::string_view what,
           std::source_location where = std::source_location::current());

}  // namespace hornbeam
