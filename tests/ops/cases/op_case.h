// Cases of ops: how each is built, and the outside numbers for it.
//
// A row says how the results are built from the inputs; inputs, expected results and expected
// gradients are in golden/<family>.json under the row's name, computed by Keras and JAX (the
// generator golden/make.py stands beside them). Every row goes through all checks of
// ops/cases_test.cpp; an op without a row is red.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/ops.h"

namespace hornbeam::op_cases {

using Inputs = std::span<const Expr>;

struct OpCase {
  std::string_view name;
  Exprs (*build)(Inputs x);
  // Of results and gradients: |received - expected| <= relative |expected| + absolute.
  double relative = 4e-6;
  double absolute = 2e-7;
  double slope = 1e-7;  // of the projected gradient in double, relative to max(1, |slope|)
};

struct Family {
  std::string_view name;
  std::span<const OpCase> cases;
};

std::span<const Family> families();

// The outside numbers of a case. `seeds` has an entry for each result, `gradients` for each input:
// those of the sum of all results times their seeds. Both are empty when the case has no gradient.
struct Golden {
  std::vector<Tensor> inputs, results;
  std::vector<std::optional<Tensor>> seeds, gradients;

  bool has_gradients() const { return !gradients.empty(); }
};

Golden golden_of(const Family& family, const OpCase& op_case);

// The results as outputs, for inputs of the given types.
Graph result_graph(const OpCase& op_case, const Types& inputs);
// One output for each input that has a gradient, made by gradients().
Graph gradient_graph(const OpCase& op_case, const Golden& golden, const Types& inputs);

Types types_of(std::span<const Tensor> tensors);

// How far beyond the tolerance the worst number is: at most 1 when all agree. Numbers that are not
// finite must be equal; so must dtype and shape.
double error(const Tensor& received, const Tensor& expected, double relative, double absolute);

}  // namespace hornbeam::op_cases
