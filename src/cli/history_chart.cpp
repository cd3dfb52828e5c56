#include "cli/history_chart.h"

#include <map>

#include "plot/line_chart.h"

namespace hornbeam {

std::string history_svg(const History& history) {
  std::map<std::string, std::vector<Point>> lines;
  for (const EpochRecord& record : history.epochs)
    for (const auto& [name, value] : record.logs)
      lines[name].push_back({static_cast<double>(record.epoch + 1), value});
  LineChart chart{.title = "Training", .x = {"epoch"}, .y = {"value"}, .whole_x = true};
  for (auto& [name, points] : lines) chart.series.push_back({name, std::move(points)});
  return line_chart_svg(chart);
}

}  // namespace hornbeam
