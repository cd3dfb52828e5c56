#include "ops/cases/families.h"
#include "ops/padding.h"

namespace hornbeam::op_cases {
namespace {

struct Geometry {
  Integers strides, dilation;
  int64_t groups = 1;
  std::string data_format = "channels_last";
};

ConvAttributes attributes(const Geometry& g, Integers low, Integers high) {
  return {g.strides, std::move(low), std::move(high), g.dilation, g.groups, g.data_format};
}

Exprs valid(Inputs x, const Geometry& g) {
  Integers none(g.strides.size(), 0);
  return {conv(x[0], x[1], attributes(g, none, none))};
}

Exprs same(Inputs x, const Geometry& g) {
  Integers low, high;
  int64_t first = g.data_format == "channels_last" ? 1 : 2;
  for (size_t i = 0; i < g.strides.size(); ++i) {
    int64_t axis = static_cast<int64_t>(i);
    auto [before, after] =
        same_padding(x[0].shape()[first + axis], x[1].shape()[axis], g.strides[i], g.dilation[i]);
    low.push_back(before);
    high.push_back(after);
  }
  return {conv(x[0], x[1], attributes(g, low, high))};
}

Exprs with_bias(Inputs x, const std::string& data_format) {
  return {conv(x[0], x[1], {{1, 1}, {1, 1}, {1, 1}, {1, 1}, 1, data_format}, x[2])};
}

const OpCase cases[] = {
    {"bias_2d", [](Inputs x) { return with_bias(x, "channels_last"); }},
    {.name = "bias_2d_channels_first",
     .build = [](Inputs x) { return with_bias(x, "channels_first"); },
     .absolute = 2e-6},
    {"valid_1d",
     [](Inputs x) {
       return valid(x, {{1}, {1}});
     }},
    {"same_1d_even_kernel",
     [](Inputs x) {
       return same(x, {{1}, {1}});
     }},
    {"same_1d_dilated",
     [](Inputs x) {
       return same(x, {{1}, {2}});
     }},
    {"causal_1d_dilated",
     [](Inputs x) {
       return Exprs{conv(x[0], x[1], attributes({{1}, {2}}, {4}, {0}))};
     }},
    {"valid_2d",
     [](Inputs x) {
       return valid(x, {{1, 1}, {1, 1}});
     }},
    {"valid_2d_strided",
     [](Inputs x) {
       return valid(x, {{2, 3}, {1, 1}});
     }},
    {"valid_2d_leftover",
     [](Inputs x) {
       return valid(x, {{3, 3}, {1, 1}});
     }},
    {"pointwise_2d_strided",
     [](Inputs x) {
       return same(x, {{2, 2}, {1, 1}});
     }},
    {"same_2d_strided",
     [](Inputs x) {
       return same(x, {{2, 2}, {1, 1}});
     }},
    {"same_2d_channels_first",
     [](Inputs x) {
       return same(x, {{2, 1}, {1, 1}, 1, "channels_first"});
     }},
    {"same_2d_dilated",
     [](Inputs x) {
       return same(x, {{1, 1}, {2, 3}});
     }},
    {"same_2d_groups",
     [](Inputs x) {
       return same(x, {{1, 1}, {1, 1}, 2});
     }},
    {"same_2d_groups_first",
     [](Inputs x) {
       return same(x, {{2, 2}, {1, 1}, 2, "channels_first"});
     }},
    {"same_2d_depthwise",
     [](Inputs x) {
       return same(x, {{1, 1}, {1, 1}, 3});
     }},
    {"padded_2d_beyond_kernel",
     [](Inputs x) {
       return Exprs{conv(x[0], x[1], attributes({{2, 1}, {1, 1}}, {3, 2}, {1, 4}))};
     }},
    {"same_3d_strided",
     [](Inputs x) {
       return same(x, {{1, 2, 2}, {1, 1, 1}});
     }},
};

}  // namespace

const Family conv_family{"conv", cases};

}  // namespace hornbeam::op_cases
