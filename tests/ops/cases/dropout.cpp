#include "ops/cases/families.h"

namespace hornbeam::op_cases {
namespace {

const OpCase cases[] = {
    {"half", [](Inputs x) { return Exprs{dropout(x[0], x[1], 0.5)}; }},
    {"tenth", [](Inputs x) { return Exprs{dropout(x[0], x[1], 0.1)}; }},
    {"nothing", [](Inputs x) { return Exprs{dropout(x[0], x[1], 0)}; }},
    {"everything", [](Inputs x) { return Exprs{dropout(x[0], x[1], 1)}; }},
};

}  // namespace

const Family dropout_family{"dropout", cases};

}  // namespace hornbeam::op_cases
