#include "ops/cases/families.h"

namespace hornbeam::op_cases {
namespace {

template <const char* kind>
Exprs over_rows(Inputs x) {
  return {reduce(x[0], kind, {1})};
}
template <const char* kind>
Exprs over_ends(Inputs x) {
  return {reduce(x[0], kind, {0, 2})};
}
template <const char* kind>
Exprs windowed(Inputs x) {
  return {reduce_window(x[0], kind, {{2, 3}, {1, 2}, {1, 0}, {0, 2}}, {1, 1}, {1, 1})};
}

constexpr char add_kind[] = "add", maximum_kind[] = "maximum", minimum_kind[] = "minimum",
               multiply_kind[] = "multiply", and_kind[] = "and", or_kind[] = "or";

const OpCase cases[] = {
    {"reduce_add_integers", over_rows<add_kind>},
    {"reduce_maximum_integers", over_rows<maximum_kind>},
    {"reduce_minimum_integers", over_rows<minimum_kind>},
    {"reduce_multiply_integers", over_rows<multiply_kind>},
    {"reduce_add", over_ends<add_kind>},
    {"reduce_maximum", over_ends<maximum_kind>},
    {"reduce_minimum", over_ends<minimum_kind>},
    {"reduce_multiply", over_rows<multiply_kind>},
    {"reduce_all", [](Inputs x) { return Exprs{sum_all(x[0])}; }},
    {"reduce_maximum_ties", over_rows<maximum_kind>},
    {"reduce_maximum_not_a_number", over_rows<maximum_kind>},
    {"reduce_empty", over_rows<add_kind>},
    {"reduce_and", over_rows<and_kind>},
    {"reduce_or", over_rows<or_kind>},
    {"window_add", windowed<add_kind>},
    {"window_maximum", windowed<maximum_kind>},
    {"window_minimum", windowed<minimum_kind>},
    {"window_dilated",
     [](Inputs x) {
       Window window{{2, 2}, {1, 1}, {1, 0}, {1, 0}};
       return Exprs{reduce_window(x[0], "add", window, {2, 1}, {1, 2})};
     }},
    {"select_and_scatter",
     [](Inputs x) {
       return Exprs{select_and_scatter(x[0], x[1], {{2, 2}, {2, 1}, {0, 0}, {0, 1}})};
     }},
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
