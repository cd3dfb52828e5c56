// One axis of a chart: where a value lies between its ends, and where its ticks are.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace hornbeam {

struct Axis {
  std::string title = {};
  bool logarithmic = false;  // shows values above 0 only
};

struct Tick {
  double value = 0;
  std::string label = {};  // empty for a line of the grid without a number
};

class Scale {
 public:
  // Spans the values that the axis can show, from a tick to a tick; 1 to 10, or 0 to 1, for none.
  // A linear axis has ticks at 1, 2 or 5 times a power of ten; `whole` ones at whole numbers only.
  // A logarithmic one at the decades, and at 2 and 5 times them where there are few.
  Scale(bool logarithmic, std::span<const double> values, bool whole = false);

  bool shows(double value) const;
  double place(double value) const;  // 0 at the low end, 1 at the high end
  const std::vector<Tick>& ticks() const { return ticks_; }

 private:
  void span_decades(double low, double high);
  void span_steps(double low, double high, bool whole);

  bool logarithmic_;
  double low_ = 0, high_ = 1;
  std::vector<Tick> ticks_;
};

}  // namespace hornbeam
