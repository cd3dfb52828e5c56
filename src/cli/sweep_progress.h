// How far a sweep is, on stderr: one line a cell; on a terminal also what the cell is at.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "cli/options.h"
#include "cli/sweep_cell.h"

namespace hornbeam {

class SweepProgress {
 public:
  SweepProgress(const Options& options, size_t cells);

  void begin(const Cell& cell);
  void line(std::string_view said);         // by the cell that runs
  void end(const Json& row, bool earlier);  // whether it was measured before
  void stopped();

 private:
  void show(std::string_view text) const;   // over what stands there, on a terminal
  void print(std::string_view text) const;  // for good

  std::string kind_;
  size_t cells_, begun_ = 0;
  std::string cell_;
};

}  // namespace hornbeam
