// Lines over two axes, as an SVG picture. Series differ by colour (the palette of Okabe and Ito,
// which colour-blind readers can tell apart: https://jfly.uni-koeln.de/color/), by the shape of
// their marks and by their dashes, so that a print in black and white can be read as well.
#pragma once

#include <string>
#include <vector>

#include "plot/axis.h"
#include "plot/svg.h"

namespace hornbeam {

struct Series {
  std::string name;
  std::vector<Point> points;  // in the order in which they are joined
};

struct LineChart {
  std::string title;
  Axis x, y;
  bool whole_x = false;  // ticks of x at whole numbers only
  std::vector<Series> series;
};

// A point that an axis cannot show (not finite; not above 0 on a logarithmic one) is left out.
std::string line_chart_svg(const LineChart& chart);

}  // namespace hornbeam
