#include "plot/line_chart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <set>

namespace hornbeam {
namespace {

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

LineChart chart_of(std::vector<Series> series) {
  return {.title = "Title", .x = {"batch", true}, .y = {"µs", true}, .series = std::move(series)};
}

// x from 1 to 100 on a logarithmic axis 660 wide at 80; y from 1 to 10, 400 high at 50: (10, 10) is
// in the middle of x, at the top of y.
TEST(LineChart, PutsPointsByTheirLogarithms) {
  std::string svg = line_chart_svg(chart_of({{"a", {{1, 1}, {10, 10}, {100, 1}}}}));
  EXPECT_NE(svg.find("points=\"80.00,450.00 410.00,50.00 740.00,450.00\""), std::string::npos)
      << svg;
}

TEST(LineChart, LeavesOutWhatAnAxisCannotShow) {
  std::string svg = line_chart_svg(chart_of({{"a", {{1, 1}, {5, NAN}, {10, 0}, {100, 10}}}}));
  EXPECT_NE(svg.find("points=\"80.00,450.00 740.00,50.00\""), std::string::npos) << svg;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(count(line_chart_svg(chart_of({})), "<polyline"), 0u);
}

TEST(LineChart, TellsSeriesApartByColourAndDashes) {
  std::vector<Series> series;
  for (int i = 0; i < 20; ++i) series.push_back({"s", {{1, 1}, {2, 2}}});
  std::string svg = line_chart_svg(chart_of(std::move(series)));
  std::set<std::string> strokes;
  const std::regex line("<polyline points=\"[^\"]*\" ([^>]*)/>");
  for (std::sregex_iterator found(svg.begin(), svg.end(), line), end; found != end; ++found)
    strokes.insert((*found)[1]);
  EXPECT_EQ(strokes.size(), 20u);
}

TEST(LineChart, WritesNamesAsTheyAre) {
  std::string svg = line_chart_svg(chart_of({{"a<b> & \"c\"\n", {{1, 1}}}}));
  EXPECT_NE(svg.find(">a&lt;b&gt; &amp; &quot;c&quot;\\n</text>"), std::string::npos) << svg;
  EXPECT_EQ(count(svg, "<svg "), 1u);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(Svg, HasEightShapesOfMarks) {
  std::set<std::string> shapes;
  for (size_t i = 0; i < markers; ++i) {
    Svg svg(20, 20);
    svg.marker(static_cast<Marker>(i), {10, 10}, "black");
    shapes.insert(svg.str());
  }
  EXPECT_EQ(shapes.size(), markers);
}

}  // namespace
}  // namespace hornbeam
