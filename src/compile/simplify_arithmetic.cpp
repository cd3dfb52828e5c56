#include <cmath>

#include "compile/simplify_rules.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

bool is_number(Expr x, double number) {
  std::optional<double> found = uniform_number(x);
  return found && *found == number && std::signbit(*found) == std::signbit(number);
}

// Adding -0 keeps every float, adding +0 turns -0 into +0; integers have one zero.
bool is_zero_to_add(Expr x) { return is_number(x, is_floating(x.dtype()) ? -0.0 : 0.0); }

Expr add_rule(const SimplifyContext& c) {
  if (is_zero_to_add(c.x[0])) return c.x[1];
  if (is_zero_to_add(c.x[1])) return c.x[0];
  return {};
}

Expr subtract_rule(const SimplifyContext& c) { return is_number(c.x[1], 0.0) ? c.x[0] : Expr{}; }

Expr multiply_rule(const SimplifyContext& c) {
  if (is_number(c.x[0], 1)) return c.x[1];
  if (is_number(c.x[1], 1)) return c.x[0];
  if (is_floating(c.x[0].dtype())) return {};  // 0 * x is -0 or NaN for some x
  if (is_number(c.x[0], 0)) return c.x[0];
  if (is_number(c.x[1], 0)) return c.x[1];
  return {};
}

Expr divide_rule(const SimplifyContext& c) { return is_number(c.x[1], 1) ? c.x[0] : Expr{}; }

// not(not(x)), negate(negate(x)): the op undoes itself.
Expr involution_rule(const SimplifyContext& c) {
  return node_of(c.x[0]).op == c.node.op ? operand_of(c.x[0], 0) : Expr{};
}

Expr select_rule(const SimplifyContext& c) {
  if (c.x[1].value == c.x[2].value) return c.x[1];
  std::optional<double> predicate = uniform_number(c.x[0]);
  if (!predicate) return {};
  return *predicate != 0 ? c.x[1] : c.x[2];
}

// Whether every number of `from` is exactly a number of `to`.
bool holds_all(DType from, DType to) {
  switch (from) {
    case DType::boolean:
      return true;
    case DType::uint8:
      return to != DType::boolean;
    case DType::int32:
      return to == DType::int64 || to == DType::float64;
    case DType::bfloat16:
      return to == DType::float32 || to == DType::float64;
    case DType::float32:
      return to == DType::float64;
    default:
      return false;
  }
}

Expr convert_rule(const SimplifyContext& c) {
  DType target = c.node.results[0].dtype;
  if (c.x[0].dtype() == target) return c.x[0];
  if (node_of(c.x[0]).op != &convert_op) return {};
  Expr origin = operand_of(c.x[0], 0);
  return holds_all(origin.dtype(), c.x[0].dtype()) ? convert(origin, target) : Expr{};
}

constexpr OpRule rules[] = {
    {&add_op, add_rule},       {&subtract_op, subtract_rule}, {&multiply_op, multiply_rule},
    {&divide_op, divide_rule}, {&negate_op, involution_rule}, {&not_op, involution_rule},
    {&select_op, select_rule}, {&convert_op, convert_rule},
};

}  // namespace

std::span<const OpRule> arithmetic_rules() { return rules; }

}  // namespace hornbeam
