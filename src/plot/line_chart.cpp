#include "plot/line_chart.h"

#include <algorithm>

namespace hornbeam {
namespace {

// Okabe and Ito's colours; yellow is too light for lines on white and comes last.
constexpr std::string_view colors[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                       "#000000", "#E69F00", "#56B4E9", "#F0E442"};
// A number of its own, so that colour and dashes do not repeat together.
constexpr std::string_view dashes[] = {"", "7 3", "2 3", "9 3 2 3", "12 4"};

constexpr double width = 770, plot_height = 400, left = 80, right = 30, top = 50, below_axis = 60;
constexpr double plot_width = width - left - right, legend_row = 20, legend_column = 340;
constexpr size_t legend_columns = 2;
constexpr Stroke grid{"#DDDDDD", 1}, frame{"#333333", 1};

struct Look {
  Stroke stroke;
  Marker marker;
};

Look look_of(size_t series) {
  return {{colors[series % std::size(colors)], 2, dashes[series % std::size(dashes)]},
          static_cast<Marker>(series % markers)};
}

std::vector<double> values_of(const LineChart& chart, double Point::*coordinate) {
  std::vector<double> values;
  for (const Series& series : chart.series)
    for (const Point& point : series.points) values.push_back(point.*coordinate);
  return values;
}

double height_of(const LineChart& chart) {
  const size_t rows = (chart.series.size() + legend_columns - 1) / legend_columns;
  return top + plot_height + below_axis + legend_row * static_cast<double>(rows);
}

class Drawing {
 public:
  explicit Drawing(const LineChart& chart)
      : chart_(chart),
        x_(chart.x.logarithmic, values_of(chart, &Point::x), chart.whole_x),
        y_(chart.y.logarithmic, values_of(chart, &Point::y)),
        svg_(width, height_of(chart)) {}

  std::string draw() {
    draw_axes();
    draw_titles();
    for (size_t i = 0; i < chart_.series.size(); ++i) {
      draw_series(chart_.series[i], look_of(i));
      draw_legend(i);
    }
    return svg_.str();
  }

 private:
  double across(double value) const { return left + plot_width * x_.place(value); }
  double down(double value) const { return top + plot_height * (1 - y_.place(value)); }

  void draw_axes() {
    for (const Tick& tick : x_.ticks()) {
      const double x = across(tick.value);
      svg_.line({x, top}, {x, top + plot_height}, grid);
      svg_.text({x, top + plot_height + 18}, tick.label, {.anchor = Anchor::middle, .size = 12});
    }
    for (const Tick& tick : y_.ticks()) {
      const double y = down(tick.value);
      svg_.line({left, y}, {left + plot_width, y}, grid);
      svg_.text({left - 8, y + 4}, tick.label, {.anchor = Anchor::end, .size = 12});
    }
    svg_.line({left, top}, {left, top + plot_height}, frame);
    svg_.line({left, top + plot_height}, {left + plot_width, top + plot_height}, frame);
  }

  void draw_titles() {
    svg_.text({width / 2, 28}, chart_.title, {.anchor = Anchor::middle, .size = 17});
    svg_.text({left + plot_width / 2, top + plot_height + 38}, chart_.x.title,
              {.anchor = Anchor::middle});
    svg_.text({22, top + plot_height / 2}, chart_.y.title,
              {.anchor = Anchor::middle, .upwards = true});
  }

  void draw_series(const Series& series, const Look& look) {
    std::vector<Point> places;
    for (const Point& point : series.points)
      if (x_.shows(point.x) && y_.shows(point.y))
        places.push_back({across(point.x), down(point.y)});
    svg_.path(places, look.stroke);
    for (const Point& place : places) svg_.marker(look.marker, place, look.stroke.color);
  }

  void draw_legend(size_t series) {
    const Look look = look_of(series);
    const double x = left + legend_column * static_cast<double>(series % legend_columns);
    const double y =
        top + plot_height + below_axis + legend_row * static_cast<double>(series / legend_columns);
    svg_.line({x, y}, {x + 44, y}, look.stroke);
    svg_.marker(look.marker, {x + 22, y}, look.stroke.color);
    svg_.text({x + 52, y + 4}, chart_.series[series].name);
  }

  const LineChart& chart_;
  Scale x_, y_;
  Svg svg_;
};

}  // namespace

std::string line_chart_svg(const LineChart& chart) { return Drawing(chart).draw(); }

}  // namespace hornbeam
