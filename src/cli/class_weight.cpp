#include "cli/class_weight.h"

#include <fmt/format.h>

#include <charconv>

#include "base/error.h"
#include "base/json.h"
#include "cli/usage.h"

namespace hornbeam {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error("H302", {.message = message,
                       .place = "--class-weight",
                       .help = "write it as '{\"0\": 1, \"1\": 3}'"});
}

int64_t class_number(const std::string& key) {
  int64_t number = 0;
  auto [end, failure] = std::from_chars(key.data(), key.data() + key.size(), number);
  if (failure != std::errc() || end != key.data() + key.size() || number < 0)
    refuse(fmt::format("'{}' is no class number", key));
  return number;
}

ClassWeights weights_of(const std::string& text) {
  ClassWeights weights;
  const Json given = parse_json(text, "--class-weight");
  for (const auto& [key, value] : given.as_object()) {
    double weight = value.as_number();
    if (weight < 0) refuse(fmt::format("the weight of class {} is {}, below 0", key, weight));
    weights[class_number(key)] = weight;
  }
  return weights;
}

}  // namespace

ClassWeights class_weights(const Options& options) {
  if (options.class_weight.empty()) return {};
  return as_value_of(
      "--class-weight", [&] { return weights_of(options.class_weight); },
      [] { return "write it as '{\"0\": 1, \"1\": 3}'"; });
}

void check_class_weights(const ClassWeights& weights, const Model& model) {
  const Shape& output = model.output_shapes()[0];
  int64_t columns = output[output.rank() - 1];
  int64_t classes = columns == 1 ? 2 : columns;  // one column tells two classes apart
  for (const auto& [number, weight] : weights)
    if (number >= classes)
      throw Error("H302", {.message = fmt::format("there is no class {}: the model has {} classes",
                                                  number, classes),
                           .place = "--class-weight",
                           .help = fmt::format("classes run from 0 to {}", classes - 1)});
}

}  // namespace hornbeam
