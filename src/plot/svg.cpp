#include "plot/svg.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "base/text.h"

namespace hornbeam {
namespace {

constexpr double radius = 4.5;  // of a marker

std::string stroke_text(const Stroke& stroke) {
  std::string text =
      fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\"", stroke.color, stroke.width);
  return stroke.dashes.empty() ? text
                               : text + fmt::format(" stroke-dasharray=\"{}\"", stroke.dashes);
}

std::string points_text(std::span<const Point> points) {
  std::string text;
  for (const Point& point : points)
    text += fmt::format("{}{:.2f},{:.2f}", text.empty() ? "" : " ", point.x, point.y);
  return text;
}

// The corners around a centre, `turn` parts of a circle away from straight up.
std::vector<Point> corners(Point at, int count, double turn, double inner = 1) {
  std::vector<Point> points;
  for (int i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * (turn + static_cast<double>(i) / count);
    const double distance = 1.25 * radius * (i % 2 == 0 ? 1 : inner);
    points.push_back({at.x + distance * std::sin(angle), at.y - distance * std::cos(angle)});
  }
  return points;
}

std::vector<Point> outline(Marker marker, Point at) {
  switch (marker) {
    case Marker::square:
      return corners(at, 4, 0.125);
    case Marker::triangle:
      return corners(at, 3, 0);
    case Marker::inverted_triangle:
      return corners(at, 3, 0.5);
    case Marker::diamond:
      return corners(at, 4, 0);
    default:
      return corners(at, 10, 0, 0.45);
  }
}

std::string_view name_of(Anchor anchor) {
  switch (anchor) {
    case Anchor::start:
      return "start";
    case Anchor::middle:
      return "middle";
    default:
      return "end";
  }
}

}  // namespace

Svg::Svg(double width, double height)
    : body_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" "
                        "height=\"{1:g}\" viewBox=\"0 0 {0:g} {1:g}\" "
                        "font-family=\"sans-serif\">\n"
                        "<rect width=\"{0:g}\" height=\"{1:g}\" fill=\"white\"/>\n",
                        width, height)) {}

void Svg::line(Point from, Point to, const Stroke& stroke) {
  body_ += fmt::format("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" {}/>\n",
                       from.x, from.y, to.x, to.y, stroke_text(stroke));
}

void Svg::path(std::span<const Point> points, const Stroke& stroke) {
  body_ += fmt::format("<polyline points=\"{}\" {}/>\n", points_text(points), stroke_text(stroke));
}

void Svg::marker(Marker marker, Point at, std::string_view color) {
  const double arm = radius * (marker == Marker::cross ? 0.8 : 1.1);
  const Stroke stroke{color, 2};
  switch (marker) {
    case Marker::circle:
      body_ += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:g}\" fill=\"{}\"/>\n", at.x,
                           at.y, radius, color);
      return;
    case Marker::cross:
      line({at.x - arm, at.y - arm}, {at.x + arm, at.y + arm}, stroke);
      line({at.x - arm, at.y + arm}, {at.x + arm, at.y - arm}, stroke);
      return;
    case Marker::plus:
      line({at.x - arm, at.y}, {at.x + arm, at.y}, stroke);
      line({at.x, at.y - arm}, {at.x, at.y + arm}, stroke);
      return;
    default:
      body_ += fmt::format("<polygon points=\"{}\" fill=\"{}\"/>\n",
                           points_text(outline(marker, at)), color);
  }
}

void Svg::text(Point at, std::string_view text, const TextStyle& style) {
  const std::string turn =
      style.upwards ? fmt::format(" transform=\"rotate(-90 {:.2f} {:.2f})\"", at.x, at.y) : "";
  body_ += fmt::format(
      "<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:g}\" text-anchor=\"{}\"{}>{}</text>\n", at.x,
      at.y, style.size, name_of(style.anchor), turn, xml_escaped(text));
}

std::string Svg::str() const { return body_ + "</svg>\n"; }

std::string xml_escaped(std::string_view text) {
  std::string escaped;
  for (char letter : printable(text)) switch (letter) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += letter;
    }
  return escaped;
}

}  // namespace hornbeam
