#include "ops/cases/op_case.h"

#include <cmath>
#include <limits>

#include "base/files.h"
#include "base/json.h"
#include "ops/gradients.h"

namespace hornbeam::op_cases {
namespace {

// JSON has no word for numbers that are not finite: they are text.
double number_of(const Json& json) {
  return json.is_text() ? std::stod(json.as_text()) : json.as_number();
}

Tensor tensor_of(const Json& json) {
  std::vector<int64_t> extents;
  for (const Json& extent : json.at("shape").as_array()) extents.push_back(extent.as_integer());
  Tensor tensor(dtype_from_name(json.at("dtype").as_text()), Shape(extents));
  const Json::Array& values = json.at("values").as_array();
  check(static_cast<int64_t>(values.size()) == tensor.elements(), "all values of a tensor");
  visit(tensor.dtype(), [&]<class T>() {
    for (size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_floating_point_v<T>)
        tensor.values<T>()[i] = static_cast<T>(number_of(values[i]));
      else if constexpr (std::is_integral_v<T>)
        tensor.values<T>()[i] = static_cast<T>(values[i].as_integer());
    }
  });
  return tensor;
}

std::vector<Tensor> tensors_of(const Json& list) {
  std::vector<Tensor> tensors;
  for (const Json& entry : list.as_array()) tensors.push_back(tensor_of(entry));
  return tensors;
}

std::vector<std::optional<Tensor>> optional_tensors_of(const Json* list) {
  std::vector<std::optional<Tensor>> tensors;
  if (list == nullptr) return tensors;
  for (const Json& entry : list->as_array()) {
    tensors.emplace_back();
    if (!entry.is_null()) tensors.back() = tensor_of(entry);
  }
  return tensors;
}

Exprs inputs_of(Builder& build, const Types& types) {
  Exprs inputs;
  for (const Type& type : types)
    inputs.push_back(build.input("x" + std::to_string(inputs.size()), type, Role::parameter));
  return inputs;
}

// The sum of all results times their seeds.
Expr seeded_sum(Builder& build, const Exprs& results, const Golden& golden) {
  Expr total;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!golden.seeds.at(i)) continue;
    Expr seed = constant(build, golden.seeds[i]->converted(results[i].dtype()));
    Expr part = sum_all(results[i] * seed);
    total = total ? total + part : part;
  }
  return total;
}

}  // namespace

Golden golden_of(const Family& family, const OpCase& op_case) {
  std::string path = std::string(HORNBEAM_OPS_GOLDEN) + "/" + std::string(family.name) + ".json";
  Json all = parse_json(read_text(path), path);
  const Json& entry = all.at(op_case.name);
  return {tensors_of(entry.at("inputs")), tensors_of(entry.at("results")),
          optional_tensors_of(entry.find("seeds")), optional_tensors_of(entry.find("gradients"))};
}

Graph result_graph(const OpCase& op_case, const Types& inputs) {
  Builder build;
  Exprs x = inputs_of(build, inputs), results = op_case.build(x);
  for (size_t i = 0; i < results.size(); ++i) build.output("y" + std::to_string(i), results[i]);
  return build.finish();
}

Graph gradient_graph(const OpCase& op_case, const Golden& golden, const Types& inputs) {
  Builder build(true);
  Exprs x = inputs_of(build, inputs), wanted;
  for (size_t i = 0; i < x.size(); ++i)
    if (golden.gradients.at(i)) wanted.push_back(x[i]);
  Exprs found = gradients(seeded_sum(build, op_case.build(x), golden), wanted);
  for (size_t i = 0; i < found.size(); ++i) build.output("dx" + std::to_string(i), found[i]);
  return build.finish();
}

Types types_of(std::span<const Tensor> tensors) {
  Types types;
  for (const Tensor& tensor : tensors) types.push_back({tensor.dtype(), tensor.shape()});
  return types;
}

double error(const Tensor& received, const Tensor& expected, double relative, double absolute) {
  constexpr double never = std::numeric_limits<double>::infinity();
  if (received.dtype() != expected.dtype() || received.shape() != expected.shape()) return never;
  Tensor left = received.converted(DType::float64), right = expected.converted(DType::float64);
  double worst = 0;
  for (size_t i = 0; i < left.values<double>().size(); ++i) {
    double a = left.values<double>()[i], b = right.values<double>()[i];
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (!std::isfinite(a) || !std::isfinite(b)) return never;
    worst = std::max(worst, std::abs(a - b) / (relative * std::abs(b) + absolute));
  }
  return worst;
}

}  // namespace hornbeam::op_cases
