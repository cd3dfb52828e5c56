// This same program, started again as a process of its own.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hornbeam {

struct ChildEnd {
  int exit = 0;          // its exit code
  int signal = 0;        // that ended it; 0 for none
  bool stopped = false;  // because `stop` said so
  std::string out, err;
};

struct ChildWatch {
  std::function<void(std::string_view line)> line;  // of its stderr, as it comes
  std::function<bool()> stop;  // asked a few times a second; true kills the child
};

// Runs `hornbeam ARGUMENTS` without input and waits for its end. The child is out of reach of the
// terminal's Ctrl-C: only `stop` ends it early. Throws H402 when the system starts no process.
ChildEnd run_child(const std::vector<std::string>& arguments, const ChildWatch& watch);

}  // namespace hornbeam
