#include "base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hornbeam {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      bool same = std::tolower(static_cast<unsigned char>(a[i])) ==
                  std::tolower(static_cast<unsigned char>(b[j]));
      size_t replaced = diagonal + (same ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

// How many bytes the control character at the start of the text takes: 0 when there is none. Those
// from U+0080 to U+009F are two bytes of UTF-8, 0xC2 first.
size_t control_bytes(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x20 || byte(0) == 0x7F) return 1;
  return byte(0) == 0xC2 && text.size() > 1 && byte(1) < 0xA0 ? 2 : 0;
}

std::string written_out(std::string_view control) {
  if (control == "\n") return "\\n";
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(control.back()));
}

}  // namespace

std::string printable(std::string_view text, std::string_view kept) {
  std::string shown;
  while (!text.empty()) {
    size_t control = control_bytes(text);
    bool as_it_is = control == 0 || kept.find(text[0]) != kept.npos;
    size_t taken = std::max<size_t>(control, 1);
    shown += as_it_is ? std::string(text.substr(0, taken)) : written_out(text.substr(0, taken));
    text.remove_prefix(taken);
  }
  return shown;
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view best;
  size_t best_distance = std::max<size_t>(name.size() / 2, 1) + 1;
  for (std::string_view candidate : candidates) {
    size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates,
                         std::string otherwise) {
  std::string_view near = nearest(name, candidates);
  return near.empty() ? std::move(otherwise) : fmt::format("did you mean '{}'?", near);
}

std::string number_text(double number) {
  return std::isnan(number) ? "nan" : fmt::format("{}", number);
}

std::string number_text(float number) {
  return std::isnan(number) ? "nan" : fmt::format("{}", number);
}

std::string bytes_text(uint64_t bytes) {
  constexpr std::string_view units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.2f} {}", value, units[unit]);
}

std::string thousands(int64_t number) {
  std::string digits = std::to_string(number);
  size_t first = digits.starts_with('-') ? 1 : 0;
  for (size_t i = digits.size(); i > first + 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string counted(int64_t number, std::string_view thing) {
  return fmt::format("{} {}{}", thousands(number), thing, number == 1 ? "" : "s");
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

}  // namespace hornbeam
