// sample_products: products that are used only where something else is not zero are made only
// there.
//
// The gradient to a layer's input goes through the selects of the ReLU and of the dropout behind
// it. Where they give zero the value that went forward is zero too, and it is in memory anyway, for
// the gradient to the next kernel: it says which elements of the product are wanted.
#pragma once

#include "compile/pipeline.h"

namespace hornbeam {

// (lhs, rhs, kept): lhs · rhs^T where `kept` is not zero, zeros elsewhere. A composite.
extern const OpDef sampled_product_op;

// Makes the sampled products that the backend claims.
Graph sample_products(const Graph& graph, const Claims& claims);

}  // namespace hornbeam
