#include "ops/cases/families.h"

namespace hornbeam::op_cases {
namespace {

const OpCase cases[] = {
    {"relu", [](Inputs x) { return Exprs{relu(x[0])}; }},
    {"relu6", [](Inputs x) { return Exprs{relu6(x[0])}; }},
    {"leaky_relu", [](Inputs x) { return Exprs{leaky_relu(x[0])}; }},
    {"leaky_relu_0.3", [](Inputs x) { return Exprs{leaky_relu(x[0], 0.3)}; }},
    {"elu", [](Inputs x) { return Exprs{elu(x[0])}; }},
    {"elu_0.5", [](Inputs x) { return Exprs{elu(x[0], 0.5)}; }},
    {"selu", [](Inputs x) { return Exprs{selu(x[0])}; }},
    {"celu", [](Inputs x) { return Exprs{celu(x[0])}; }},
    {"celu_2", [](Inputs x) { return Exprs{celu(x[0], 2)}; }},
    {"erf", [](Inputs x) { return Exprs{erf(x[0])}; }},
    {"gelu", [](Inputs x) { return Exprs{gelu(x[0])}; }},
    {.name = "gelu_approximate",
     .build = [](Inputs x) { return Exprs{gelu(x[0], true)}; },
     .absolute = 1e-6},
    {"softplus", [](Inputs x) { return Exprs{softplus(x[0])}; }},
    {"softsign", [](Inputs x) { return Exprs{softsign(x[0])}; }},
    {"silu", [](Inputs x) { return Exprs{silu(x[0])}; }},
    {"mish", [](Inputs x) { return Exprs{mish(x[0])}; }},
    {"log_sigmoid", [](Inputs x) { return Exprs{log_sigmoid(x[0])}; }},
    {"hard_sigmoid", [](Inputs x) { return Exprs{hard_sigmoid(x[0])}; }},
    {"hard_silu", [](Inputs x) { return Exprs{hard_silu(x[0])}; }},
    {"hard_tanh", [](Inputs x) { return Exprs{hard_tanh(x[0])}; }},
    {"tanh_shrink", [](Inputs x) { return Exprs{tanh_shrink(x[0])}; }},
    {"soft_shrink", [](Inputs x) { return Exprs{soft_shrink(x[0])}; }},
    {"soft_shrink_1", [](Inputs x) { return Exprs{soft_shrink(x[0], 1)}; }},
    {"hard_shrink", [](Inputs x) { return Exprs{hard_shrink(x[0])}; }},
    {"hard_shrink_1", [](Inputs x) { return Exprs{hard_shrink(x[0], 1)}; }},
    {"squareplus", [](Inputs x) { return Exprs{squareplus(x[0])}; }},
    {"squareplus_1", [](Inputs x) { return Exprs{squareplus(x[0], 1)}; }},
    {"sparse_plus", [](Inputs x) { return Exprs{sparse_plus(x[0])}; }},
    {"sparse_sigmoid", [](Inputs x) { return Exprs{sparse_sigmoid(x[0])}; }},
    {"threshold", [](Inputs x) { return Exprs{threshold(x[0], 1, -2)}; }},
    {"softmax", [](Inputs x) { return Exprs{softmax(x[0], -1)}; }},
    {"softmax_axis_1", [](Inputs x) { return Exprs{softmax(x[0], 1)}; }},
    {"softmax_large", [](Inputs x) { return Exprs{softmax(x[0], -1)}; }},
    {"log_softmax", [](Inputs x) { return Exprs{log_softmax(x[0], -1)}; }},
    {"log_softmax_axis_1", [](Inputs x) { return Exprs{log_softmax(x[0], 1)}; }},
    {"log_softmax_large", [](Inputs x) { return Exprs{log_softmax(x[0], -1)}; }},
};

}  // namespace

const Family activations_family{"activations", cases};

}  // namespace hornbeam::op_cases
