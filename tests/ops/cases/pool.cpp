#include "ops/cases/families.h"
#include "ops/padding.h"

namespace hornbeam::op_cases {
namespace {

PoolAttributes attributes(Expr x, const Integers& window, const Integers& strides, bool same,
                          const std::string& data_format = "channels_last") {
  PoolAttributes a{window, strides, {}, {}, data_format};
  int64_t first = data_format == "channels_last" ? 1 : 2;
  for (size_t i = 0; i < window.size(); ++i) {
    auto [low, high] =
        same_padding(x.shape()[first + static_cast<int64_t>(i)], window[i], strides[i], 1);
    a.padding_low.push_back(same ? low : 0);
    a.padding_high.push_back(same ? high : 0);
  }
  return a;
}

Exprs both(Expr x, const PoolAttributes& a) { return {max_pool(x, a), average_pool(x, a)}; }

const OpCase cases[] = {
    {"valid_1d", [](Inputs x) { return both(x[0], attributes(x[0], {2}, {2}, false)); }},
    {"same_1d", [](Inputs x) { return both(x[0], attributes(x[0], {2}, {2}, true)); }},
    {"valid_2d",
     [](Inputs x) {
       return both(x[0], attributes(x[0], {2, 2}, {2, 2}, false));
     }},
    {"valid_2d_overlapping",
     [](Inputs x) {
       return both(x[0], attributes(x[0], {3, 3}, {2, 2}, false));
     }},
    {"valid_2d_gaps",
     [](Inputs x) {
       return both(x[0], attributes(x[0], {1, 2}, {3, 3}, false));
     }},
    {"same_2d",
     [](Inputs x) {
       return both(x[0], attributes(x[0], {2, 2}, {2, 2}, true));
     }},
    {"same_2d_wide",
     [](Inputs x) {
       return both(x[0], attributes(x[0], {3, 3}, {1, 1}, true));
     }},
    {"same_2d_channels_first",
     [](Inputs x) {
       return both(x[0], attributes(x[0], {3, 2}, {2, 1}, true, "channels_first"));
     }},
    {"ties_2d",
     [](Inputs x) {
       return both(x[0], attributes(x[0], {2, 2}, {1, 1}, false));
     }},
    {"same_3d",
     [](Inputs x) {
       return both(x[0], attributes(x[0], {2, 2, 2}, {2, 1, 2}, true));
     }},
};

}  // namespace

const Family pool_family{"pool", cases};

}  // namespace hornbeam::op_cases
