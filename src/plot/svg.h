// A picture as SVG text: lines, markers and texts, in pixels from the upper left corner.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hornbeam {

struct Point {
  double x = 0, y = 0;
};

struct Stroke {
  std::string_view color;
  double width = 1;
  std::string_view dashes = "";  // lengths of lines and gaps, as "6 3"; empty for a whole line
};

enum class Marker { circle, square, triangle, diamond, cross, plus, inverted_triangle, star };
inline constexpr size_t markers = 8;

enum class Anchor { start, middle, end };

struct TextStyle {
  Anchor anchor = Anchor::start;
  double size = 13;
  bool upwards = false;  // read from bottom to top
};

class Svg {
 public:
  Svg(double width, double height);

  void line(Point from, Point to, const Stroke& stroke);
  void path(std::span<const Point> points, const Stroke& stroke);
  void marker(Marker marker, Point at, std::string_view color);
  void text(Point at, std::string_view text, const TextStyle& style = {});

  std::string str() const;  // the whole document

 private:
  std::string body_;
};

// With &, <, > and quotes written out, and without control characters, which XML cannot hold.
std::string xml_escaped(std::string_view text);

}  // namespace hornbeam
