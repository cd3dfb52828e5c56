#include "cli/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace hornbeam {

std::string table_text(std::string_view alignment, const std::vector<TableRow>& rows) {
  std::vector<size_t> widths(alignment.size());
  auto cell = [](const TableRow& row, size_t i) { return printable(row[i]); };
  for (const TableRow& row : rows)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], cell(row, i).size());
  std::string text;
  for (const TableRow& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i)
      line += alignment[i] == '<' ? fmt::format("{:<{}}  ", cell(row, i), widths[i])
                                  : fmt::format("{:>{}}  ", cell(row, i), widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string milliseconds_text(double seconds) { return fmt::format("{:.3f}", seconds * 1e3); }

std::string share_text(double part, double whole) {
  return fmt::format("{:.1f} %", whole > 0 ? 100 * part / whole : 0.0);
}

std::string rate_text(double amount, double seconds) {
  return amount > 0 && seconds > 0 ? fmt::format("{:.1f}", amount / seconds * 1e-9) : "";
}

std::string giga_text(double operations) { return fmt::format("{:.3f}", operations * 1e-9); }

std::string three_digits_text(double number) {
  return number < 999.5 ? fmt::format("{:.3g}", number)
                        : thousands(static_cast<int64_t>(number + 0.5));
}

std::string mebi_text(double bytes) { return fmt::format("{:.2f}", bytes / (1024 * 1024)); }

}  // namespace hornbeam
