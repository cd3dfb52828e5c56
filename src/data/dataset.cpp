#include "data/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/text.h"

namespace hornbeam {
namespace {

struct Part {
  std::string what;  // "input 'image'"
  const Tensor* tensor;
};

std::string title(const std::string& role, const std::string& usual, const NamedTensor& named) {
  return named.name.empty() ? usual : role + " '" + named.name + "'";
}

std::vector<Part> parts_of(const Dataset& data) {
  std::vector<Part> parts;
  for (const NamedTensor& input : data.inputs)
    parts.push_back({title("input", "x (the inputs)", input), &input.tensor});
  for (const NamedTensor& target : data.targets)
    parts.push_back({title("target", "y (the targets)", target), &target.tensor});
  if (data.sample_weight) parts.push_back({"sample_weight", &*data.sample_weight});
  return parts;
}

[[noreturn]] void no_data(const Dataset& data, const std::string& message,
                          const std::string& help) {
  throw Error("H203", {.message = message, .place = data.name, .help = help});
}

Tensor rows_of(const Tensor& tensor, int64_t begin, int64_t end) {
  Shape shape = tensor.shape();
  size_t row_bytes = shape[0] == 0 ? 0 : tensor.bytes() / static_cast<size_t>(shape[0]);
  shape[0] = end - begin;
  Tensor result(tensor.dtype(), std::move(shape));
  std::memcpy(result.data(), tensor.data() + begin * row_bytes, result.bytes());
  return result;
}

// The class of each sample: rounded labels, or the column that holds the largest number.
std::vector<int64_t> classes_of(const Tensor& targets, const std::string& place) {
  const Shape& shape = targets.shape();
  int64_t columns = shape.rank() == 1 ? 1 : shape[shape.rank() - 1];
  int64_t samples = shape[0];
  if (shape.rank() > 2 || columns == 0)
    throw Error("H205", {.message = "class weights need one label for each sample, but the targets "
                                    "have the shape " +
                                    to_string(shape),
                         .place = place,
                         .help = "give a sample_weight array in place of class weights"});
  Tensor numbers = targets.converted(DType::float64);
  const double* row = numbers.values<double>().data();
  std::vector<int64_t> classes;
  for (int64_t i = 0; i < samples; ++i, row += columns)
    classes.push_back(columns == 1 ? std::llrint(*row)
                                   : std::max_element(row, row + columns) - row);
  return classes;
}

struct Found {
  int64_t position;
  double value;
};

// As float32, which models compute in.
std::optional<Found> not_finite_in(const Tensor& tensor) {
  if (!is_floating(tensor.dtype())) return std::nullopt;
  return visit(tensor.dtype(), [&]<class T>() -> std::optional<Found> {
    std::span<const T> values = tensor.values<T>();
    for (size_t i = 0; i < values.size(); ++i)
      if (float value = static_cast<float>(values[i]); !std::isfinite(value))
        return Found{static_cast<int64_t>(i), value};
    return std::nullopt;
  });
}

}  // namespace

int64_t Dataset::samples() const { return inputs.empty() ? 0 : inputs[0].tensor.shape()[0]; }

void check_dataset(const Dataset& data) {
  std::vector<Part> parts = parts_of(data);
  for (const Part& part : parts)
    if (part.tensor->shape().rank() == 0)
      throw Error("H205", {.message = part.what + " is a single number and has no axis of samples",
                           .place = data.name,
                           .help = "the first axis of every array counts the samples"});
  for (const Part& part : parts)
    if (int64_t length = part.tensor->shape()[0]; length != data.samples())
      throw Error("H207", {.message = fmt::format("{} has {} samples, but {} has {}", parts[0].what,
                                                  data.samples(), part.what, length),
                           .place = data.name,
                           .help = "there must be one target (and weight) for each sample"});
  if (data.samples() == 0)
    no_data(data, "there are no samples in the data", "check the path and what it holds");
}

Dataset rows(const Dataset& data, int64_t begin, int64_t end) {
  check(0 <= begin && begin <= end && end <= data.samples(), "rows lie within the data");
  Dataset result{.class_names = data.class_names, .name = data.name};
  for (const NamedTensor& input : data.inputs)
    result.inputs.push_back({input.name, rows_of(input.tensor, begin, end)});
  for (const NamedTensor& target : data.targets)
    result.targets.push_back({target.name, rows_of(target.tensor, begin, end)});
  if (data.sample_weight) result.sample_weight = rows_of(*data.sample_weight, begin, end);
  return result;
}

Dataset limit(Dataset data, int64_t count) {
  if (count <= 0)
    throw Error("H302", {.message = fmt::format("a limit of {} samples leaves no data", count),
                         .place = data.name,
                         .help = "give a number above 0"});
  return count >= data.samples() ? std::move(data) : rows(data, 0, count);
}

Split validation_split(const Dataset& data, double fraction) {
  if (!(fraction > 0 && fraction < 1))
    throw Error("H302", {.message = fmt::format("the validation split is {}, but must lie between "
                                                "0 and 1",
                                                fraction),
                         .place = data.name});
  int64_t samples = data.samples();
  auto cut = static_cast<int64_t>(std::floor(static_cast<double>(samples) * (1 - fraction)));
  if (cut == 0 || cut == samples)
    no_data(data,
            fmt::format("a validation split of {} of {} sample{} leaves nothing to {}", fraction,
                        samples, samples == 1 ? "" : "s", cut == 0 ? "train on" : "validate on"),
            "give more data or another split");
  return {rows(data, 0, cut), rows(data, cut, samples)};
}

Dataset with_class_weight(Dataset data, const std::map<int64_t, double>& class_weight) {
  if (data.targets.size() != 1)
    throw Error("H304", {.message = fmt::format("class weights need exactly one target, but the "
                                                "data has {}",
                                                data.targets.size()),
                         .place = data.name});
  if (data.sample_weight)
    throw Error("H304", {.message = "class weights cannot be combined with sample weights",
                         .place = data.name,
                         .help = "multiply them into the sample weights"});
  std::vector<int64_t> classes = classes_of(data.targets[0].tensor, data.name);
  Tensor weights(DType::float32, Shape{std::ssize(classes)});
  for (size_t i = 0; i < classes.size(); ++i) {
    auto known = class_weight.find(classes[i]);
    weights.values<float>()[i] =
        known == class_weight.end() ? 1 : static_cast<float>(known->second);
  }
  data.sample_weight = std::move(weights);
  return data;
}

std::string first_not_finite(const Dataset& data) {
  for (const Part& part : parts_of(data)) {
    std::optional<Found> found = not_finite_in(*part.tensor);
    if (!found) continue;
    int64_t sample = found->position / (part.tensor->elements() / data.samples());
    return fmt::format("{} has the value {} in sample {}", part.what, number_text(found->value),
                       sample);
  }
  return "";
}

Dataset with_label_offset(Dataset data, int64_t offset) {
  for (NamedTensor& target : data.targets) {
    Tensor shifted = target.tensor.converted(DType::float64);
    for (double& label : shifted.values<double>()) label += static_cast<double>(offset);
    DType dtype = target.tensor.dtype();
    target.tensor = shifted.converted(is_floating(dtype) ? dtype : DType::int32);
  }
  return data;
}

}  // namespace hornbeam
