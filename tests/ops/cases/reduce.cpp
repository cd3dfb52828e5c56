#include "ops/cases/families.h"

namespace hornbeam::op_cases {
namespace {

const OpCase cases[] = {
    {"argmax", [](Inputs x) { return Exprs{argmax(x[0], -1)}; }},
    {"argmax_axis_0", [](Inputs x) { return Exprs{argmax(x[0], 0)}; }},
    {"argmax_not_a_number", [](Inputs x) { return Exprs{argmax(x[0], 1)}; }},
    {"argmax_integers", [](Inputs x) { return Exprs{argmax(x[0], 1)}; }},
    {"one_hot", [](Inputs x) { return Exprs{one_hot(x[0], 4, DType::float32)}; }},
    {"one_hot_bytes", [](Inputs x) { return Exprs{one_hot(x[0], 300, DType::float32)}; }},
};

}  // namespace

const Family reduce_family{"reduce", cases};

}  // namespace hornbeam::op_cases
