#include "data/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace hornbeam {
namespace {

bool is_whole(double label) { return label == std::floor(label); }

bool is_class(double label, int64_t classes) {
  return label >= 0 && label < static_cast<double>(classes) && is_whole(label);
}

bool is_ignored(double label, const LabelRule& rule) {
  return rule.ignored && label == static_cast<double>(*rule.ignored);
}

// Of many labels, those outside, for the message.
struct Outside {
  double first;
  int64_t like_first;
  int64_t count;
  bool starts_at_one;  // no 0, and a label equal to the number of classes
};

Outside outside(std::span<const double> labels, const LabelRule& rule) {
  const int64_t classes = rule.classes;
  auto wrong = [&](double label) { return !is_class(label, classes) && !is_ignored(label, rule); };
  double first = *std::find_if(labels.begin(), labels.end(), wrong);
  auto [lowest, highest] = std::minmax_element(labels.begin(), labels.end());
  return {.first = first,
          .like_first = std::count(labels.begin(), labels.end(), first),
          .count = std::count_if(labels.begin(), labels.end(), wrong),
          .starts_at_one = *lowest == 1 && *highest == static_cast<double>(classes)};
}

std::string counts(const Outside& found, std::span<const double> labels) {
  auto all = thousands(std::ssize(labels));
  bool zero = std::find(labels.begin(), labels.end(), 0.0) != labels.end();
  std::string text =
      found.count == found.like_first
          ? fmt::format("{} of {} labels are {}", thousands(found.count), all, found.first)
          : fmt::format("{} of {} labels are outside", thousands(found.count), all);
  return zero ? text : text + " and none is 0";
}

[[noreturn]] void refuse(std::span<const double> labels, const LabelRule& rule) {
  Outside found = outside(labels, rule);
  std::string layer = rule.layer.empty() ? "the model" : "the last layer `" + rule.layer + "`";
  throw Error("H204",
              {.message = is_whole(found.first)
                              ? fmt::format("label {} is outside the {} classes of this model",
                                            found.first, rule.classes)
                              : fmt::format("label {} is no whole number", found.first),
               .place = rule.place,
               .notes = {fmt::format("{} has {} outputs, so labels run from 0 to {}", layer,
                                     rule.classes, rule.classes - 1),
                         counts(found, labels)},
               .help = found.starts_at_one
                           ? "labels seem to start at 1; use --label-offset -1"
                           : "correct the labels, or give the last layer one output a class"});
}

}  // namespace

void check_labels(const Tensor& labels, const LabelRule& rule) {
  Tensor numbers = labels.converted(DType::float64);
  auto values = std::as_const(numbers).values<double>();
  for (double label : values)
    if (!is_class(label, rule.classes) && !is_ignored(label, rule)) refuse(values, rule);
}

void check_indices(const Tensor& indices, const LabelRule& rule) {
  Tensor numbers = indices.converted(DType::float64);
  auto values = std::as_const(numbers).values<double>();
  auto inside = [&](double x) { return x > -1 && x < static_cast<double>(rule.classes); };
  auto found = std::ranges::find_if_not(values, inside);
  if (found == values.end()) return;
  int64_t sample = (found - values.begin()) / (indices.elements() / indices.shape()[0]);
  throw Error("H206",
              {.message = fmt::format("{} is outside the {} rows of the layer `{}`, in sample {}",
                                      number_text(*found), rule.classes, rule.layer, sample),
               .place = rule.place,
               .help = fmt::format("indices run from 0 to {}; a larger input_dim has more rows",
                                   rule.classes - 1)});
}

Tensor one_hot(const Tensor& labels, const LabelRule& rule) {
  check_labels(labels, rule);
  std::vector<int64_t> extents = labels.shape().extents();
  if (extents.size() > 1 && extents.back() == 1) extents.pop_back();
  extents.push_back(rule.classes);
  Tensor result(DType::float32, Shape(std::move(extents)));
  Tensor classes = labels.converted(DType::int64);
  float* row = result.values<float>().data();
  for (int64_t label : classes.values<int64_t>()) {
    row[label] = 1;
    row += rule.classes;
  }
  return result;
}

}  // namespace hornbeam
