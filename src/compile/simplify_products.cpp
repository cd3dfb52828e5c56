// Transposes before and behind a product become other dimension numbers of the product. The terms
// of each sum keep their order, so no bit changes.
#include <algorithm>

#include "compile/simplify_rules.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

bool contains(const Integers& axes, int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

DotDimensions dimensions_of(const Node& dot) {
  return {dot.attrs.integers("lhs_batching"), dot.attrs.integers("rhs_batching"),
          dot.attrs.integers("lhs_contracting"), dot.attrs.integers("rhs_contracting")};
}

// The axes of one operand before its transpose.
struct OperandAxes {
  Expr operand;
  Integers batching, contracting;
};

Integers through(const Integers& axes, const Integers& permutation) {
  Integers before;
  for (int64_t axis : axes) before.push_back(permutation[static_cast<size_t>(axis)]);
  return before;
}

// Drops the transpose that makes an operand, when its free axes keep their order.
OperandAxes without_transpose(OperandAxes axes) {
  if (node_of(axes.operand).op != &transpose_op) return axes;
  Integers permutation = node_of(axes.operand).attrs.integers("permutation");
  Integers free_axes;
  for (int64_t axis = 0; axis < axes.operand.rank(); ++axis)
    if (!contains(axes.batching, axis) && !contains(axes.contracting, axis))
      free_axes.push_back(permutation[static_cast<size_t>(axis)]);
  if (!std::is_sorted(free_axes.begin(), free_axes.end())) return axes;
  return {operand_of(axes.operand, 0), through(axes.batching, permutation),
          through(axes.contracting, permutation)};
}

Expr dot_rule(const SimplifyContext& c) {
  DotDimensions d = dimensions_of(c.node);
  OperandAxes lhs = without_transpose({c.x[0], d.lhs_batching, d.lhs_contracting});
  OperandAxes rhs = without_transpose({c.x[1], d.rhs_batching, d.rhs_contracting});
  if (lhs.operand.value == c.x[0].value && rhs.operand.value == c.x[1].value) return {};
  return dot_general(lhs.operand, rhs.operand,
                     {lhs.batching, rhs.batching, lhs.contracting, rhs.contracting});
}

// transpose(dot(a, b)) that puts the free axes of b before those of a is dot(b, a).
Expr transpose_of_dot_rule(const SimplifyContext& c) {
  const Node& dot = node_of(c.x[0]);
  if (dot.op != &dot_general_op) return {};
  DotDimensions d = dimensions_of(dot);
  Expr lhs = operand_of(c.x[0], 0), rhs = operand_of(c.x[0], 1);
  int64_t batching = static_cast<int64_t>(d.lhs_batching.size());
  int64_t lhs_free = lhs.rank() - batching - static_cast<int64_t>(d.lhs_contracting.size());
  Integers swapped;
  for (int64_t axis = 0; axis < batching; ++axis) swapped.push_back(axis);
  for (int64_t axis = batching + lhs_free; axis < c.x[0].rank(); ++axis) swapped.push_back(axis);
  for (int64_t axis = batching; axis < batching + lhs_free; ++axis) swapped.push_back(axis);
  if (swapped != c.node.attrs.integers("permutation")) return {};
  return dot_general(rhs, lhs,
                     {d.rhs_batching, d.lhs_batching, d.rhs_contracting, d.lhs_contracting});
}

constexpr OpRule rules[] = {{&dot_general_op, dot_rule}, {&transpose_op, transpose_of_dot_rule}};

}  // namespace

std::span<const OpRule> product_rules() { return rules; }

}  // namespace hornbeam
