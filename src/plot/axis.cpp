#include "plot/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace hornbeam {
namespace {

// 1,000,000 as such up to a million, then 1e7: long numbers would run into each other.
std::string label_of(double value) {
  if (value >= 1 && value <= 1e6 && value == std::floor(value))
    return thousands(static_cast<int64_t>(value));
  return fmt::format("{:g}", value);
}

// The least of 1, 2 and 5 times a power of ten that is no smaller.
double round_step(double step) {
  const double decade = std::pow(10, std::floor(std::log10(step)));
  for (double times : {1.0, 2.0, 5.0})
    if (times * decade >= step * (1 - 1e-9)) return times * decade;
  return 10 * decade;
}

}  // namespace

Scale::Scale(bool logarithmic, std::span<const double> values, bool whole)
    : logarithmic_(logarithmic) {
  std::vector<double> shown;
  std::ranges::copy_if(values, std::back_inserter(shown), [&](double v) { return shows(v); });
  if (shown.empty()) shown = logarithmic ? std::vector{1.0, 10.0} : std::vector{0.0, 1.0};
  const auto [low, high] = std::ranges::minmax(shown);
  if (logarithmic)
    span_decades(low, high);
  else
    span_steps(low, high, whole);
}

bool Scale::shows(double value) const {
  return std::isfinite(value) && (!logarithmic_ || value > 0);
}

double Scale::place(double value) const {
  return logarithmic_ ? std::log(value / low_) / std::log(high_ / low_)
                      : (value - low_) / (high_ - low_);
}

// From a tick to a tick of 1, 2, 5, 10, ...; every one of them has its number up to three decades.
void Scale::span_decades(double low, double high) {
  std::vector<double> marks;
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::floor(std::log10(high))) + 1;
  for (int decade = first; decade <= last; ++decade)
    for (double times : {1.0, 2.0, 5.0}) marks.push_back(times * std::pow(10, decade));
  size_t begin = 0, end = marks.size() - 1;
  while (marks[begin + 1] <= low) ++begin;
  while (end > begin + 1 && marks[end - 1] >= high) --end;
  low_ = marks[begin];
  high_ = marks[end];
  const bool few = high_ / low_ <= 1001;
  for (size_t i = begin; i <= end; ++i)
    ticks_.push_back({marks[i], few || i % 3 == 0 ? label_of(marks[i]) : ""});
}

void Scale::span_steps(double low, double high, bool whole) {
  constexpr double most_steps = 6;
  const double span = high > low ? high - low : std::max(1.0, std::abs(high));
  double step = round_step(span / most_steps);
  if (whole) step = std::max(1.0, step);
  const double first = std::floor(low / step + 1e-9);
  const double last = std::max(first + 1, std::ceil(high / step - 1e-9));
  low_ = first * step;
  high_ = last * step;
  for (double i = first; i <= last; ++i)
    ticks_.push_back({i * step, fmt::format("{:g}", i * step)});
}

}  // namespace hornbeam
