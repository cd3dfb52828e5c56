#include "nn/layers/elementwise.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/layers/fields.h"
#include "ops/ops.h"

namespace hornbeam {

void ReLU::fields(Fields& f) {
  common_fields(f);
  f("max_value", max_value);
  f.custom(
      "negative_slope",
      [&](const Json& json) { negative_slope = json.is_null() ? 0 : json.as_number(); },
      [&] { return Json(negative_slope); });
  f.custom(
      "threshold", [&](const Json& json) { threshold = json.is_null() ? 0 : json.as_number(); },
      [&] { return Json(threshold); });
  require_not_negative(f, "max_value", max_value.value_or(0));
  require_not_negative(f, "negative_slope", negative_slope);
  require_not_negative(f, "threshold", threshold);
}

Exprs ReLU::call(Trace&, std::span<const Expr> inputs) {
  Expr x = inputs[0];
  if (negative_slope == 0 && threshold == 0)
    return {max_value ? minimum(relu(x), *max_value) : relu(x)};
  Expr y = select(compare(x, "GT", threshold), x, (x - threshold) * negative_slope);
  return {max_value ? minimum(y, *max_value) : y};
}

void LeakyReLU::fields(Fields& f) {
  common_fields(f);
  f("negative_slope", negative_slope);
  require_not_negative(f, "negative_slope", negative_slope);
}

Exprs LeakyReLU::call(Trace&, std::span<const Expr> inputs) {
  return {leaky_relu(inputs[0], negative_slope)};
}

void ELU::fields(Fields& f) {
  common_fields(f);
  f("alpha", alpha);
}

Exprs ELU::call(Trace&, std::span<const Expr> inputs) { return {elu(inputs[0], alpha)}; }

void Softmax::fields(Fields& f) {
  common_fields(f);
  one_or_more_field(f, "axis", axis);
}

namespace {

// The axes of `x` with `last` behind the others.
Integers moved_behind(const Expr& x, const std::vector<int64_t>& last) {
  Integers order;
  for (int64_t axis = 0; axis < x.rank(); ++axis)
    if (std::ranges::count(last, axis) == 0) order.push_back(axis);
  order.insert(order.end(), last.begin(), last.end());
  return order;
}

Integers inverse(const Integers& order) {
  Integers back(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return back;
}

// As one axis, behind the others.
Expr softmax_over(Expr x, const std::vector<int64_t>& axes) {
  Integers order = moved_behind(x, axes);
  Expr moved = transpose(x, order);
  std::vector<int64_t> extents = moved.shape().extents();
  extents.resize(extents.size() - axes.size());
  extents.push_back(moved.shape().elements() / Shape(extents).elements());
  Expr y = reshape(softmax(reshape(moved, Shape(extents)), -1), Shape(moved.shape()));
  return transpose(y, inverse(order));
}

}  // namespace

Exprs Softmax::call(Trace&, std::span<const Expr> inputs) {
  std::vector<int64_t> axes;
  for (int64_t each : axis.values) axes.push_back(normalized_axis(each, inputs[0].rank()));
  std::ranges::sort(axes);
  if (std::ranges::adjacent_find(axes) != axes.end()) refuse_shape("an axis is named twice");
  if (axes.size() == 1) return {softmax(inputs[0], axes[0])};
  if (axes[0] == 0) refuse_shape("the batch cannot be one of the axes");
  return {softmax_over(inputs[0], axes)};
}

namespace {

const Merge::Kind add_kind{"Add", [](Expr a, Expr b) { return a + b; }};
const Merge::Kind subtract_kind{"Subtract", [](Expr a, Expr b) { return a - b; }};
const Merge::Kind multiply_kind{"Multiply", [](Expr a, Expr b) { return a * b; }};
const Merge::Kind average_kind{"Average", [](Expr a, Expr b) { return a + b; }, true};
const Merge::Kind maximum_kind{"Maximum", [](Expr a, Expr b) { return maximum(a, b); }};
const Merge::Kind minimum_kind{"Minimum", [](Expr a, Expr b) { return minimum(a, b); }};

// Inputs of lower rank get axes of extent 1 behind the batch.
Expr with_rank(Expr x, int64_t rank) {
  std::vector<int64_t> extents = x.shape().extents();
  extents.insert(extents.begin() + 1, static_cast<size_t>(rank - x.rank()), 1);
  return reshape(x, Shape(extents));
}

void require_broadcast(Expr a, Expr b) {
  for (int64_t axis = 0; axis < a.rank(); ++axis)
    if (a.shape()[axis] != b.shape()[axis] && a.shape()[axis] != 1 && b.shape()[axis] != 1)
      refuse_shape(fmt::format("shapes {} and {} cannot be merged", to_string(a.shape()),
                               to_string(b.shape())));
}

}  // namespace

std::unique_ptr<Layer> make_add() { return std::make_unique<Merge>(add_kind); }
std::unique_ptr<Layer> make_subtract() { return std::make_unique<Merge>(subtract_kind); }
std::unique_ptr<Layer> make_multiply() { return std::make_unique<Merge>(multiply_kind); }
std::unique_ptr<Layer> make_average() { return std::make_unique<Merge>(average_kind); }
std::unique_ptr<Layer> make_maximum() { return std::make_unique<Merge>(maximum_kind); }
std::unique_ptr<Layer> make_minimum() { return std::make_unique<Merge>(minimum_kind); }

Exprs Merge::call(Trace&, std::span<const Expr> inputs) {
  if (kind_.name == "Subtract" && inputs.size() != 2)
    refuse_shape(fmt::format("expected two inputs, received {}", inputs.size()));
  if (inputs.empty()) refuse_shape("expected inputs to merge");
  int64_t rank = 0;
  for (const Expr& input : inputs) rank = std::max(rank, input.rank());
  Expr total = with_rank(inputs[0], rank);
  for (const Expr& input : inputs.subspan(1)) {
    Expr next = with_rank(input, rank);
    require_broadcast(total, next);
    total = kind_.fold(total, next);
  }
  return {kind_.averaged ? total / static_cast<double>(inputs.size()) : total};
}

void Concatenate::fields(Fields& f) {
  common_fields(f);
  f("axis", axis);
}

Exprs Concatenate::call(Trace&, std::span<const Expr> inputs) {
  if (inputs.empty()) refuse_shape("expected inputs to concatenate");
  return {concatenate(inputs, normalized_axis(axis, inputs[0].rank()))};
}

}  // namespace hornbeam
