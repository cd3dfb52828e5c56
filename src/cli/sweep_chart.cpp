#include "cli/sweep_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/article.h"
#include "plot/line_chart.h"

namespace hornbeam {
namespace {

std::string series_name(const Json& row) {
  return fmt::format("{} on {}", row.at("model").as_text(), row.at("device").as_text());
}

Series& series_of(std::vector<Series>& all, const std::string& name) {
  auto found = std::ranges::find(all, name, &Series::name);
  return found == all.end() ? all.emplace_back(name) : *found;
}

void add_article_series(std::vector<Series>& all, const std::vector<Json>& rows) {
  std::set<std::string> models;
  for (const Json& row : rows) models.insert(row.at("model").as_text());
  for (const ArticleRow& row : article_rows()) {
    if (!models.contains(std::string(row.model))) continue;
    auto add = [&](const char* device, const ArticleFigure& figure) {
      if (figure.us_per_sample > 0)
        series_of(all, fmt::format("{} on {} (article)", row.model, device))
            .points.push_back({static_cast<double>(row.batch), figure.us_per_sample});
    };
    add("TPU v2", row.tpu);
    add("half a K80", row.gpu);
  }
}

}  // namespace

std::string sweep_svg(const std::vector<Json>& rows, bool article) {
  LineChart chart{.title = "Time of a sample by batch size",
                  .x = {"batch size", true},
                  .y = {"µs a sample", true},
                  .series = {}};
  for (const Json& row : rows)
    if (row.at("error").is_null())
      series_of(chart.series, series_name(row))
          .points.push_back({row.at("batch").as_number(), row.at("us_per_sample").as_number()});
  for (Series& series : chart.series) std::ranges::sort(series.points, {}, &Point::x);
  if (article) add_article_series(chart.series, rows);
  return line_chart_svg(chart);
}

}  // namespace hornbeam
