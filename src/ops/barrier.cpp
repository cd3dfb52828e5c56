// optimization_barrier: the identity that no pass sees through.
#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/rules.h"

namespace hornbeam {
namespace {

Types barrier_type(const OpUse& use) {
  require_operands(use, 1);
  return {use.operands[0]};
}

void barrier_reference(const Node&, std::span<const Tensor* const> x, std::span<Tensor> y) {
  y[0] = *x[0];
}

}  // namespace

const OpDef optimization_barrier_op{.name = "optimization_barrier",
                                    .op_class = OpClass::structural,
                                    .infer = barrier_type,
                                    .reference = barrier_reference,
                                    .gradient = [](Grad& g) { return Exprs{g.dy[0]}; }};

Expr optimization_barrier(Expr x) { return x.builder->add(optimization_barrier_op, {x}); }

}  // namespace hornbeam
