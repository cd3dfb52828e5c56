// The rules of the simplify pass, by op. A rule sees a node with simplified operands.
#pragma once

#include <optional>

#include "ir/builder.h"

namespace hornbeam {

struct SimplifyContext {
  Builder& build;
  const Node& node;
  std::span<const Expr> x;
};

// The simpler value, or an empty Expr when the rule does not apply.
using SimplifyRule = Expr (*)(const SimplifyContext&);

struct OpRule {
  const OpDef* op;
  SimplifyRule rule;
};

std::span<const OpRule> arithmetic_rules();
std::span<const OpRule> structural_rules();
std::span<const OpRule> product_rules();

// The node that makes a value.
inline const Node& node_of(Expr x) { return x.builder->graph().node(x.value); }
inline Expr operand_of(Expr x, size_t number) { return {x.builder, node_of(x).operands[number]}; }
// The number that every element of a constant, or of a broadcast constant, is; -0.0 and 0.0 are
// told apart by the caller. Integers beyond 2^53 give none.
std::optional<double> uniform_number(Expr x);
// The scalar that a value repeats everywhere (a broadcast scalar); empty when it is none.
Expr repeated_scalar(Expr x);

}  // namespace hornbeam
