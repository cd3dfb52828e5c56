#include "ops/cases/families.h"

namespace hornbeam::op_cases {
namespace {

using Unary = Expr (*)(Expr);
using Binary = Expr (*)(Expr, Expr);

template <Unary function>
Exprs unary(Inputs x) {
  return {function(x[0])};
}
template <Binary function>
Exprs binary(Inputs x) {
  return {function(x[0], x[1])};
}
template <DType dtype>
Exprs converted(Inputs x) {
  return {convert(x[0], dtype)};
}

constexpr Binary plus = add, times = multiply, larger = maximum, smaller = minimum;

const OpCase cases[] = {
    {"abs", unary<abs>},
    {"ceil", unary<ceil>},
    {"floor", unary<floor>},
    {"sign", unary<sign>},
    {"tanh", unary<tanh>},
    {"logistic", unary<logistic>},
    {"negate", unary<negate>},
    {"exponential", unary<exponential>},
    {"sine", unary<sine>},
    {"cosine", unary<cosine>},
    {"exponential_minus_one", unary<exponential_minus_one>},
    {"log", unary<log>},
    {"log_plus_one", unary<log_plus_one>},
    {"sqrt", unary<sqrt>},
    {"rsqrt", unary<rsqrt>},
    {"is_finite", unary<is_finite>},
    {"round_nearest_even", unary<round_nearest_even>},
    {"log_edges", unary<log>},
    {"sqrt_edges", unary<sqrt>},
    {"tanh_edges", unary<tanh>},
    {"sign_edges", unary<sign>},
    {"exponential_edges", unary<exponential>},
    {"not", unary<logical_not>},
    {"not_integers", unary<logical_not>},
    {"abs_integers", unary<abs>},
    {"negate_integers", unary<negate>},

    {"add", binary<plus>},
    {"subtract", binary<subtract>},
    {"multiply", binary<times>},
    {"divide", binary<divide>},
    {"power", binary<power>},
    {"remainder", binary<remainder>},
    {"maximum", binary<larger>},
    {"minimum", binary<smaller>},
    {"maximum_edges", binary<larger>},
    {"minimum_edges", binary<smaller>},
    {"broadcast_operands", [](Inputs x) { return Exprs{x[0] * x[1] + x[0]}; }},
    {"add_integers", binary<plus>},
    {"divide_integers", binary<divide>},
    {"remainder_integers", binary<remainder>},
    {"maximum_integers", binary<larger>},
    {"and_integers", binary<bitwise_and>},
    {"or_integers", binary<bitwise_or>},
    {"xor_integers", binary<bitwise_xor>},
    {"and_truth", binary<bitwise_and>},
    {"or_truth", binary<bitwise_or>},
    {"xor_truth", binary<bitwise_xor>},
    {"shift_left", binary<shift_left>},
    {"shift_right_logical", binary<shift_right_logical>},

    {"compare_eq", [](Inputs x) { return Exprs{compare(x[0], "EQ", x[1])}; }},
    {"compare_ne", [](Inputs x) { return Exprs{compare(x[0], "NE", x[1])}; }},
    {"compare_lt", [](Inputs x) { return Exprs{compare(x[0], "LT", x[1])}; }},
    {"compare_le", [](Inputs x) { return Exprs{compare(x[0], "LE", x[1])}; }},
    {"compare_gt", [](Inputs x) { return Exprs{compare(x[0], "GT", x[1])}; }},
    {"compare_ge", [](Inputs x) { return Exprs{compare(x[0], "GE", x[1])}; }},
    {"select", [](Inputs x) { return Exprs{select(x[0], x[1], x[2])}; }},
    {"select_ties", [](Inputs x) { return Exprs{select(compare(x[0], "EQ", x[1]), x[0], x[1])}; }},
    {"convert_to_int32", converted<DType::int32>},
    {"convert_to_bool", converted<DType::boolean>},
    {"convert_bytes", converted<DType::float32>},
    {"convert_truth", converted<DType::float32>},
    {"convert_through_bfloat16",
     [](Inputs x) { return Exprs{convert(convert(x[0], DType::bfloat16), DType::float32)}; }},
};

}  // namespace

const Family elementwise_family{"elementwise", cases};

}  // namespace hornbeam::op_cases
