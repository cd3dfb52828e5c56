#include "ops/cases/families.h"

namespace hornbeam::op_cases {
namespace {

using Attributes = ConvolutionAttributes;

Exprs convolved(Inputs x, const Attributes& attributes) {
  return {convolution(x[0], x[1], attributes)};
}

const std::string last = "b01f_01io->b01f";

// No batching axes.
Exprs contracted(Inputs x, Integers lhs, Integers rhs) {
  return {dot_general(x[0], x[1], {{}, {}, std::move(lhs), std::move(rhs)})};
}

const OpCase cases[] = {
    {"dot", [](Inputs x) { return Exprs{dot(x[0], x[1])}; }},
    {"dot_vectors", [](Inputs x) { return contracted(x, {0}, {0}); }},
    {"dot_batched",
     [](Inputs x) {
       return Exprs{dot_general(x[0], x[1], {{0}, {0}, {2}, {1}})};
     }},
    {"dot_moved_batch",
     [](Inputs x) {
       return Exprs{dot_general(x[0], x[1], {{1}, {0}, {0}, {2}})};
     }},
    {"dot_two_axes",
     [](Inputs x) {
       return contracted(x, {1, 2}, {2, 0});
     }},
    {"dot_outer", [](Inputs x) { return contracted(x, {}, {}); }},
    {"dot_empty", [](Inputs x) { return contracted(x, {1}, {0}); }},

    {"convolution",
     [](Inputs x) {
       return convolved(x, {{1, 1}, {1, 0}, {1, 2}, {1, 1}, {1, 1}, last});
     }},
    {"convolution_strides",
     [](Inputs x) {
       return convolved(x, {{2, 3}, {0, 1}, {1, 0}, {1, 1}, {1, 1}, last});
     }},
    {"convolution_dilations",
     [](Inputs x) {
       return convolved(x, {{1, 2}, {1, 2}, {0, 1}, {2, 1}, {1, 2}, last});
     }},
    {"convolution_cut",
     [](Inputs x) {
       return convolved(x, {{1, 1}, {-1, 0}, {0, -2}, {1, 1}, {1, 1}, last});
     }},
    {"convolution_groups",
     [](Inputs x) {
       return convolved(x, {{1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, last, 2});
     }},
    {"convolution_batch_groups",
     [](Inputs x) {
       return convolved(x, {{1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, last, 1, 2});
     }},
    {"convolution_channels_first",
     [](Inputs x) {
       return convolved(x, {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, "bf01_oi01->bf01"});
     }},
    {"convolution_line",
     [](Inputs x) {
       return convolved(x, {{2}, {1}, {1}, {1}, {1}, "b0f_0io->b0f"});
     }},
};

}  // namespace

const Family products_family{"products", cases};

}  // namespace hornbeam::op_cases
