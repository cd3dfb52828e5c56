// Tables of rows, and the random words that dropout draws.
#include "ops/cases/families.h"

namespace hornbeam::op_cases {
namespace {

const OpCase cases[] = {
    {"gather", [](Inputs x) { return Exprs{gather(x[0], x[1])}; }},
    {"gather_long_indices", [](Inputs x) { return Exprs{gather(x[0], x[1])}; }},
    {"scatter", [](Inputs x) { return Exprs{scatter(x[0], x[1], 5)}; }},
    {"random_bits", [](Inputs x) { return Exprs{random_bits(x[0], x[1], {5})}; }},
};

}  // namespace

const Family tables_family{"tables", cases};

}  // namespace hornbeam::op_cases
