// What is summed over replicas and what differs between them. The references are those of one
// replica.
#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/rules.h"

namespace hornbeam {

const OpDef all_reduce_op{.name = "all_reduce",
                          .infer = same_numeric,
                          .reference = [](const Node&, std::span<const Tensor* const> x,
                                          std::span<Tensor> y) { y[0] = *x[0]; },
                          .gradient = [](Grad& g) { return Exprs{all_reduce(g.dy[0])}; }};

const OpDef replica_id_op{
    .name = "replica_id",
    .infer =
        [](const OpUse& use) {
          require_operands(use, 0);
          return Types{{DType::int64, {}}};
        },
    .reference = [](const Node&, std::span<const Tensor* const>, std::span<Tensor>) {}};

Expr all_reduce(Expr x) { return x.builder->add(all_reduce_op, {x}); }
Expr replica_id(Builder& build) { return build.add(replica_id_op, {}); }

}  // namespace hornbeam
