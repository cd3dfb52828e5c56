// The gradient of a graph: one function with one backward loop.
#pragma once

#include "ir/builder.h"

namespace hornbeam {

// What the gradient rule of an op sees: the node with its operands, results and the gradients of
// its results. A result that the differentiated value does not depend on has an empty `dy`.
struct Grad {
  Builder& build;
  const Node& node;
  std::span<const Expr> x;
  std::span<const Expr> y;
  std::span<const Expr> dy;
};

// The gradients of the sum of `output`'s elements times `seed` (of output's type; ones when empty)
// with respect to each of `inputs`, as values of the same builder. Zeros where there is no path.
// The builder must be a differentiable one. What is added may be composites without a gradient of
// their own (those of convolution, pooling, batch normalisation), so that a backend can do them
// whole. Nodes added have the gradient_scope of the node they differentiate. Throws H703 naming an
// op without gradient on the path.
Exprs gradients(Expr output, std::span<const Expr> inputs, Expr seed = {});

}  // namespace hornbeam
