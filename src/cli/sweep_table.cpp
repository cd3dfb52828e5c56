#include "cli/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/article.h"
#include "cli/table.h"

namespace hornbeam {
namespace {

struct Column {
  std::string_view key, heading;
  char alignment;
  std::string (*text)(const Json& value);
};

std::string as_it_is(const Json& value) { return value.as_text(); }
std::string with_thousands(const Json& value) { return thousands(value.as_integer()); }
std::string three_digits(const Json& value) { return three_digits_text(value.as_number()); }
std::string bytes_of(const Json& value) {
  return bytes_text(static_cast<uint64_t>(value.as_integer()));
}

constexpr Column columns[] = {
    {"model", "model", '<', as_it_is},
    {"device", "device", '<', as_it_is},
    {"batch", "batch", '>', with_thousands},
    {"slices", "slices", '>', with_thousands},
    {"seconds_per_epoch", "s/epoch", '>', three_digits},
    {"us_per_sample", "us/sample", '>', three_digits},
    {"first_epoch_seconds", "first epoch", '>', three_digits},
    {"compile_seconds", "compile s", '>', three_digits},
    {"planned_peak_bytes", "planned", '>', bytes_of},
    {"measured_peak_bytes", "measured", '>', bytes_of},
    {"article_tpu_seconds_per_epoch", "TPU v2 s", '>', three_digits},
    {"article_tpu_us_per_sample", "TPU v2 us", '>', three_digits},
    {"article_gpu_seconds_per_epoch", "1/2 K80 s", '>', three_digits},
    {"article_gpu_us_per_sample", "1/2 K80 us", '>', three_digits},
};

// Where the article has a row without a figure, its device ran out of memory.
std::string entry(const Column& column, const Json& row) {
  const Json& value = row.at(column.key);
  if (!value.is_null()) return column.text(value);
  const bool out_of_memory =
      column.key.starts_with("article_") &&
      find_article_row(row.at("model").as_text(), row.at("batch").as_integer()) != nullptr;
  return out_of_memory ? "OOM" : "-";
}

std::vector<Column> columns_of(const std::vector<Json>& rows) {
  std::vector<Column> all;
  std::ranges::copy_if(columns, std::back_inserter(all),
                       [&](const Column& column) { return rows[0].find(column.key) != nullptr; });
  return all;
}

std::string failures_text(const std::vector<Json>& rows) {
  std::string text;
  for (const Json& row : rows)
    if (const Json& error = row.at("error"); !error.is_null())
      text += fmt::format("\n{} on {}, batch {}: {}", row.at("model").as_text(),
                          row.at("device").as_text(), thousands(row.at("batch").as_integer()),
                          printable(error.as_text()));
  return text.empty() ? "" : text + "\n";
}

std::string csv_text(const Json& value) {
  if (value.is_null()) return "";
  std::string text = value.is_text() ? value.as_text() : json_text(value);
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

}  // namespace

void add_article(Json& row) {
  const ArticleRow* found =
      find_article_row(row.at("model").as_text(), row.at("batch").as_integer());
  auto set = [&](std::string_view device, const ArticleFigure& figure) {
    const bool ran = figure.seconds_per_epoch > 0;
    row.set(fmt::format("article_{}_seconds_per_epoch", device),
            ran ? Json(figure.seconds_per_epoch) : Json());
    row.set(fmt::format("article_{}_us_per_sample", device),
            ran ? Json(figure.us_per_sample) : Json());
  };
  set("tpu", found == nullptr ? ArticleFigure{} : found->tpu);
  set("gpu", found == nullptr ? ArticleFigure{} : found->gpu);
}

std::string sweep_text(const std::vector<Json>& rows) {
  const std::vector<Column> shown = columns_of(rows);
  std::string alignment;
  std::vector<TableRow> lines(1);
  for (const Column& column : shown) {
    alignment += column.alignment;
    lines[0].emplace_back(column.heading);
  }
  for (const Json& row : rows) {
    TableRow& line = lines.emplace_back();
    for (const Column& column : shown) line.push_back(entry(column, row));
  }
  return table_text(alignment, lines) + failures_text(rows);
}

std::string sweep_csv(const std::vector<Json>& rows) {
  if (rows.empty()) return "";
  std::vector<std::string> names;
  for (const auto& [key, value] : rows[0].as_object()) names.push_back(key);
  std::string text = join(names, ",") + "\n";
  for (const Json& row : rows) {
    std::vector<std::string> values;
    for (const std::string& name : names) values.push_back(csv_text(row.at(name)));
    text += join(values, ",") + "\n";
  }
  return text;
}

}  // namespace hornbeam
