#include "base/error.h"

#include <fmt/format.h>

#include "base/text.h"

namespace hornbeam {
namespace {

std::string render(const ErrorCode& code, const ErrorParts& parts) {
  std::string text = fmt::format("error[{}]: {}", code.name, printable(parts.message));
  if (!parts.place.empty()) text += "\n  --> " + printable(parts.place);
  for (const std::string& note : parts.notes) text += "\n   = " + printable(note);
  if (!parts.help.empty()) text += "\nhelp: " + printable(parts.help);
  return text;
}

}  // namespace

Error::Error(CodeName code, ErrorParts parts) : Error(code.code, std::move(parts)) {}

Error::Error(const ErrorCode* code, ErrorParts parts)
    : code_(code), parts_(std::move(parts)), text_(render(*code_, parts_)) {}

Error Error::at(std::string place) const {
  ErrorParts parts = parts_;
  if (parts.place.empty()) parts.place = std::move(place);
  return Error(code_, std::move(parts));
}

Error Error::moved_to(std::string place) const {
  ErrorParts parts = parts_;
  if (!parts.place.empty()) parts.notes.push_back("in the setting of " + parts.place);
  parts.place = std::move(place);
  return Error(code_, std::move(parts));
}

Error Error::with_note(std::string note) const {
  ErrorParts parts = parts_;
  parts.notes.push_back(std::move(note));
  return Error(code_, std::move(parts));
}

void check(bool condition, std::string_view what, std::source_location where) {
  if (condition) return;
  throw Error("H901", {.message = fmt::format("internal check failed: {}", what),
                       .place = fmt::format("{}:{}", where.file_name(), where.line())});
}

}  // namespace hornbeam
