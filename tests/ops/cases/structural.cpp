#include "ops/cases/families.h"

namespace hornbeam::op_cases {
namespace {

Exprs placed_slice(Inputs x) { return {dynamic_slice(x[0], x.subspan(1, 2), {2, 2})}; }

const OpCase cases[] = {
    {"broadcast_in_dim",
     [](Inputs x) {
       return Exprs{broadcast_in_dim(x[0], {2, 3, 4}, {2})};
     }},
    {"broadcast_ones",
     [](Inputs x) {
       return Exprs{broadcast_in_dim(x[0], {2, 3, 4}, {0, 1, 2})};
     }},
    {"reshape",
     [](Inputs x) {
       return Exprs{reshape(x[0], {4, 6})};
     }},
    {"transpose",
     [](Inputs x) {
       return Exprs{transpose(x[0], {2, 0, 1})};
     }},
    {"reverse",
     [](Inputs x) {
       return Exprs{reverse(x[0], {0, 2})};
     }},
    {"optimization_barrier", [](Inputs x) { return Exprs{optimization_barrier(x[0])}; }},
    {"slice",
     [](Inputs x) {
       return Exprs{slice(x[0], {0, 1, 0}, {2, 3, 4}, {1, 1, 3})};
     }},
    {"slice_empty",
     [](Inputs x) {
       return Exprs{slice(x[0], {0, 1, 0}, {2, 1, 4}, {1, 1, 1})};
     }},
    {"pad",
     [](Inputs x) {
       return Exprs{pad(x[0], x[1], {1, 0}, {2, 0}, {0, 1})};
     }},
    {"pad_cuts",
     [](Inputs x) {
       return Exprs{pad(x[0], x[1], {-1, 2}, {1, -3}, {0, 2})};
     }},
    {"concatenate", [](Inputs x) { return Exprs{concatenate(x, 1)}; }},
    {"dynamic_slice", placed_slice},
    {"dynamic_slice_clamped", placed_slice},
    {"dynamic_update_slice",
     [](Inputs x) { return Exprs{dynamic_update_slice(x[0], x[1], x.subspan(2, 2))}; }},
    {"iota",
     [](Inputs x) {
       return Exprs{x[0] + iota(*x[0].builder, {x[0].dtype(), {2, 3}}, 1)};
     }},
    {"all_reduce", [](Inputs x) { return Exprs{all_reduce(x[0])}; }},
    {"replica_id",
     [](Inputs x) { return Exprs{x[0] + convert(replica_id(*x[0].builder), x[0].dtype())}; }},
};

}  // namespace

const Family structural_family{"structural", cases};

}  // namespace hornbeam::op_cases
