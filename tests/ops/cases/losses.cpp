#include "ops/cases/families.h"

namespace hornbeam::op_cases {
namespace {

// Near 0 the logarithm bends so much that a central difference is less exact.
constexpr double steep = 1e-5;

const OpCase cases[] = {
    {"binary", [](Inputs x) { return Exprs{binary_crossentropy(x[0], x[1], false, 0)}; }},
    // Case B23: probabilities are clipped once, to 1e-7 from either end.
    {.name = "binary_edges",
     .build = [](Inputs x) { return Exprs{binary_crossentropy(x[0], x[1], false, 0)}; },
     .slope = steep},
    {"binary_smoothed",
     [](Inputs x) { return Exprs{binary_crossentropy(x[0], x[1], false, 0.2)}; }},
    {"binary_logits", [](Inputs x) { return Exprs{binary_crossentropy(x[0], x[1], true, 0)}; }},
    {"binary_logits_smoothed",
     [](Inputs x) { return Exprs{binary_crossentropy(x[0], x[1], true, 0.2)}; }},
    {"categorical", [](Inputs x) { return Exprs{categorical_crossentropy(x[0], x[1], false, 0)}; }},
    {.name = "categorical_edges",
     .build = [](Inputs x) { return Exprs{categorical_crossentropy(x[0], x[1], false, 0)}; },
     .slope = steep},
    {"categorical_smoothed",
     [](Inputs x) { return Exprs{categorical_crossentropy(x[0], x[1], false, 0.1)}; }},
    {"categorical_logits",
     [](Inputs x) { return Exprs{categorical_crossentropy(x[0], x[1], true, 0)}; }},
    {"categorical_logits_smoothed",
     [](Inputs x) { return Exprs{categorical_crossentropy(x[0], x[1], true, 0.1)}; }},
    {"sparse", [](Inputs x) { return Exprs{sparse_categorical_crossentropy(x[0], x[1], false)}; }},
    {.name = "sparse_edges",
     .build = [](Inputs x) { return Exprs{sparse_categorical_crossentropy(x[0], x[1], false)}; },
     .slope = steep},
    {"sparse_logits",
     [](Inputs x) { return Exprs{sparse_categorical_crossentropy(x[0], x[1], true)}; }},
    {"sparse_rows",
     [](Inputs x) { return Exprs{sparse_categorical_crossentropy(x[0], x[1], true)}; }},
    {"squared", [](Inputs x) { return Exprs{mean_squared_error(x[0], x[1])}; }},
    {"absolute", [](Inputs x) { return Exprs{mean_absolute_error(x[0], x[1])}; }},
};

}  // namespace

const Family losses_family{"losses", cases};

}  // namespace hornbeam::op_cases
