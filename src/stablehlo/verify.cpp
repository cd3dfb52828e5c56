#include "stablehlo/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "stablehlo/parse.h"

namespace hornbeam {
namespace {

using namespace stablehlo;

// A type in parts: "tensor<2x3xf32>" is {"2x3x", "f32"}.
std::string_view shape_part(std::string_view type) {
  const size_t end = type.rfind('x');
  return end == type.npos ? "" : type.substr(7, end - 6);
}
std::string_view element_part(std::string_view type) {
  const size_t end = type.rfind('x');
  const size_t begin = end == type.npos ? 7 : end + 1;
  return type.substr(begin, type.size() - begin - 1);
}
std::string scalar_of(std::string_view type) {
  return fmt::format("tensor<{}>", element_part(type));
}

int64_t elements(std::string_view type) {
  int64_t count = 1;
  for (std::string_view rest = shape_part(type); !rest.empty();) {
    const size_t end = rest.find('x');
    count *= std::stoll(std::string(rest.substr(0, end)));
    rest.remove_prefix(end + 1);
  }
  return count;
}

// --- rules: whether operand and result types fit together ---

const std::string& in(const Operation& op, size_t i) { return op.operand_types.at(i); }
const std::string& out(const Operation& op) { return op.result_types.at(0); }

bool is_index(std::string_view type) { return type == "tensor<i32>" || type == "tensor<i64>"; }
bool alike(const Operation& op, size_t first, size_t last) {
  return std::all_of(op.operand_types.begin() + static_cast<ptrdiff_t>(first),
                     op.operand_types.begin() + static_cast<ptrdiff_t>(last),
                     [&](const std::string& type) { return type == in(op, first); });
}
bool indices_from(const Operation& op, size_t first) {
  return op.operands.size() == first ||
         (is_index(in(op, first)) && alike(op, first, op.operands.size()));
}
// A region with as many scalars of that type as arguments, which gives one scalar.
bool takes_scalars(const Region& region, const std::string& type, size_t count,
                   const std::string& gives) {
  return region.arguments.size() == count &&
         std::ranges::all_of(region.arguments,
                             [&](const TypedName& argument) { return argument.type == type; }) &&
         !region.operations.empty() &&
         region.operations.back().operand_types == std::vector<std::string>{gives};
}
bool combines(const Operation& op, size_t region) {
  std::string scalar = scalar_of(out(op));
  return takes_scalars(op.regions[region], scalar, 2, scalar);
}

bool any(const Operation&) { return true; }
bool all_alike(const Operation& op) {
  return alike(op, 0, op.operands.size()) && in(op, 0) == out(op);
}
bool makes_truth(const Operation& op) {
  return alike(op, 0, op.operands.size()) && shape_part(in(op, 0)) == shape_part(out(op)) &&
         element_part(out(op)) == "i1";
}
bool keeps_shape(const Operation& op) { return shape_part(in(op, 0)) == shape_part(out(op)); }
bool keeps_element(const Operation& op) { return element_part(in(op, 0)) == element_part(out(op)); }
bool rearranges(const Operation& op) {
  return keeps_element(op) && elements(in(op, 0)) == elements(out(op));
}
bool selects(const Operation& op) {
  return in(op, 1) == in(op, 2) && in(op, 1) == out(op) && element_part(in(op, 0)) == "i1" &&
         shape_part(in(op, 0)) == shape_part(out(op));
}
bool joins(const Operation& op) {
  int64_t count = 0;
  for (const std::string& type : op.operand_types) count += elements(type);
  return keeps_element(op) && count == elements(out(op));
}
bool slices(const Operation& op) { return keeps_element(op) && indices_from(op, 1); }
bool updates(const Operation& op) {
  return in(op, 0) == out(op) && element_part(in(op, 1)) == element_part(out(op)) &&
         indices_from(op, 2);
}
bool pads(const Operation& op) { return keeps_element(op) && in(op, 1) == scalar_of(out(op)); }
bool reduces(const Operation& op) { return pads(op) && combines(op, 0); }
bool scatters_selected(const Operation& op) {
  std::string scalar = scalar_of(out(op));
  return in(op, 0) == out(op) && in(op, 2) == scalar &&
         takes_scalars(op.regions[0], scalar, 2, "tensor<i1>") && combines(op, 1);
}
bool multiplies(const Operation& op) {
  return element_part(in(op, 0)) == element_part(in(op, 1)) && keeps_element(op);
}
bool scatters(const Operation& op) {
  return in(op, 0) == out(op) && element_part(in(op, 2)) == element_part(out(op)) &&
         combines(op, 0);
}
bool sums(const Operation& op) { return all_alike(op) && combines(op, 0); }

bool loops(const Operation& op) {
  const Region &condition = op.regions[0], &body = op.regions[1];
  auto arguments_are_the_state = [&](const Region& region) {
    return std::ranges::equal(region.arguments, op.operand_types, {}, &TypedName::type) &&
           !region.operations.empty();
  };
  return op.operand_types == op.result_types && arguments_are_the_state(condition) &&
         arguments_are_the_state(body) &&
         condition.operations.back().operand_types == std::vector<std::string>{"tensor<i1>"} &&
         body.operations.back().operand_types == op.operand_types;
}
bool is_the_value(const Operation& op) {
  return op.attributes[0].second.ends_with(" : " + out(op));
}

struct Rule {
  std::string_view name;  // without "stablehlo."
  int operands;           // -1 for any number
  size_t regions;
  std::string_view attributes;  // all of them, in order
  bool (*fits)(const Operation& op);
};

constexpr Rule rules[] = {
    {"abs", 1, 0, "", all_alike},
    {"add", 2, 0, "", all_alike},
    {"all_reduce", 1, 1, "replica_groups", sums},
    {"and", 2, 0, "", all_alike},
    {"broadcast_in_dim", 1, 0, "broadcast_dimensions", keeps_element},
    {"ceil", 1, 0, "", all_alike},
    {"compare", 2, 0, "comparison_direction", makes_truth},
    {"concatenate", -1, 0, "dimension", joins},
    {"constant", 0, 0, "value", is_the_value},
    {"convert", 1, 0, "", keeps_shape},
    {"convolution", 2, 0,
     "window_strides padding lhs_dilation rhs_dilation dimension_numbers feature_group_count "
     "batch_group_count precision_config",
     multiplies},
    {"cosine", 1, 0, "", all_alike},
    {"divide", 2, 0, "", all_alike},
    {"dot_general", 2, 0, "dot_dimension_numbers precision_config", multiplies},
    {"dynamic_slice", -1, 0, "slice_sizes", slices},
    {"dynamic_update_slice", -1, 0, "", updates},
    {"exponential", 1, 0, "", all_alike},
    {"exponential_minus_one", 1, 0, "", all_alike},
    {"floor", 1, 0, "", all_alike},
    {"gather", 2, 0, "dimension_numbers slice_sizes", keeps_element},
    {"iota", 0, 0, "iota_dimension", any},
    {"is_finite", 1, 0, "", makes_truth},
    {"log", 1, 0, "", all_alike},
    {"log_plus_one", 1, 0, "", all_alike},
    {"logistic", 1, 0, "", all_alike},
    {"maximum", 2, 0, "", all_alike},
    {"minimum", 2, 0, "", all_alike},
    {"multiply", 2, 0, "", all_alike},
    {"negate", 1, 0, "", all_alike},
    {"not", 1, 0, "", all_alike},
    {"optimization_barrier", 1, 0, "", all_alike},
    {"or", 2, 0, "", all_alike},
    {"pad", 2, 0, "edge_padding_low edge_padding_high interior_padding", pads},
    {"power", 2, 0, "", all_alike},
    {"reduce", 2, 1, "dimensions", reduces},
    {"reduce_window", 2, 1,
     "window_dimensions window_strides base_dilations window_dilations padding", reduces},
    {"remainder", 2, 0, "", all_alike},
    {"replica_id", 0, 0, "", any},
    {"reshape", 1, 0, "", rearranges},
    {"reverse", 1, 0, "dimensions", all_alike},
    {"round_nearest_even", 1, 0, "", all_alike},
    {"rsqrt", 1, 0, "", all_alike},
    {"scatter", 3, 1, "scatter_dimension_numbers", scatters},
    {"select", 3, 0, "", selects},
    {"select_and_scatter", 3, 2, "window_dimensions window_strides padding", scatters_selected},
    {"shift_left", 2, 0, "", all_alike},
    {"shift_right_logical", 2, 0, "", all_alike},
    {"sign", 1, 0, "", all_alike},
    {"sine", 1, 0, "", all_alike},
    {"slice", 1, 0, "start_indices limit_indices strides", keeps_element},
    {"sqrt", 1, 0, "", all_alike},
    {"subtract", 2, 0, "", all_alike},
    {"tanh", 1, 0, "", all_alike},
    {"transpose", 1, 0, "permutation", rearranges},
    {"while", -1, 2, "", loops},
    {"xor", 2, 0, "", all_alike},
};

// --- the walk ---

using Types = std::map<std::string, std::string>;  // of the values known so far

[[noreturn]] void refuse(const Operation& op, std::string message) {
  throw Error("H702", {.message = fmt::format("{}: {}", op.name, message),
                       .place = fmt::format("StableHLO, line {}", op.line)});
}

void require(const Operation& op, bool fits, std::string_view message) {
  if (!fits) refuse(op, std::string(message));
}

void define(const Operation& op, Types& known, const std::string& name, const std::string& type) {
  if (!known.emplace(name, type).second) refuse(op, fmt::format("{} is given twice", name));
}

void define_results(const Operation& op, Types& known) {
  require(op, op.results == op.result_types.size(), "expected a name for each result");
  if (op.results == 1) define(op, known, op.result, out(op));
  for (size_t i = 0; op.results > 1 && i < op.results; ++i)
    define(op, known, fmt::format("{}#{}", op.result, i), op.result_types[i]);
}

void check_operands(const Operation& op, const Types& known) {
  require(op, op.operands.size() == op.operand_types.size(), "expected a type for each operand");
  for (size_t i = 0; i < op.operands.size(); ++i) {
    auto found = known.find(op.operands[i]);
    if (found == known.end()) refuse(op, fmt::format("{} is not known here", op.operands[i]));
    if (found->second != in(op, i))
      refuse(op, fmt::format("{} is {}, not {}", op.operands[i], found->second, in(op, i)));
  }
}

void check_rule(const Operation& op) {
  constexpr std::string_view dialect = "stablehlo.";
  auto rule = std::ranges::find_if(
      rules, [&](const Rule& each) { return op.name == fmt::format("{}{}", dialect, each.name); });
  require(op, rule != std::end(rules), "there is no such op");
  require(op,
          rule->operands < 0 ? !op.operands.empty() : op.operands.size() == size_t(rule->operands),
          "expected another number of operands");
  require(op, op.regions.size() == rule->regions, "expected another number of regions");
  std::vector<std::string> names;
  for (const auto& [name, value] : op.attributes) names.push_back(name);
  require(op, join(names, " ") == rule->attributes, "expected other attributes");
  require(op, rule->fits(op), "operand and result types do not fit together");
}

void check_region(const Region& region, Types known, std::string_view terminator,
                  const Operation* inside_of);

void check_operation(const Operation& op, Types& known) {
  check_operands(op, known);
  check_rule(op);
  for (const Region& region : op.regions) check_region(region, known, "stablehlo.return", &op);
  define_results(op, known);
}

// A region sees the values around it; those inside are not seen outside.
void check_region(const Region& region, Types known, std::string_view terminator,
                  const Operation* inside_of) {
  const Operation begin = inside_of != nullptr ? *inside_of : Operation{.name = "main"};
  for (const TypedName& argument : region.arguments)
    define(begin, known, argument.name, argument.type);
  require(begin, !region.operations.empty(), "expected operations");
  for (const Operation& op : region.operations) {
    const bool last = &op == &region.operations.back();
    if (!last) check_operation(op, known);
  }
  const Operation& last = region.operations.back();
  require(last, last.name == terminator, fmt::format("expected a {} at the end", terminator));
  check_operands(last, known);
}

}  // namespace

void verify_stablehlo(std::string_view text) {
  const Function function = parse(text);
  check_region(function.body, {}, "func.return", nullptr);
  const Operation& last = function.body.operations.back();
  require(last, last.operand_types == function.result_types,
          "what is returned is not what the function promises");
}

}  // namespace hornbeam
