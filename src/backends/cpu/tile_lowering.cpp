#include "backends/cpu/tile_lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "backends/cpu/kernels/tile_schedule.h"
#include "backends/cpu/tile_views.h"
#include "compile/fused.h"
#include "ir/interpret.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

// Whole numbers beyond this are not exact in float32 registers.
constexpr double largest_whole = 1 << 24;
// Constants and countings up to this many elements become tables of the program.
constexpr int64_t largest_table = 1 << 16;

// --- which op is which instruction ---

const std::map<const OpDef*, TileOp>& instructions() {
  static const std::map<const OpDef*, TileOp> all{
      {&negate_op, TileOp::negate},
      {&abs_op, TileOp::abs},
      {&sign_op, TileOp::sign},
      {&exponential_op, TileOp::exp},
      {&exponential_minus_one_op, TileOp::expm1},
      {&log_op, TileOp::log},
      {&log_plus_one_op, TileOp::log1p},
      {&sqrt_op, TileOp::sqrt},
      {&rsqrt_op, TileOp::rsqrt},
      {&tanh_op, TileOp::tanh},
      {&logistic_op, TileOp::logistic},
      {&floor_op, TileOp::floor},
      {&ceil_op, TileOp::ceil},
      {&sine_op, TileOp::sine},
      {&cosine_op, TileOp::cosine},
      {&is_finite_op, TileOp::is_finite},
      {&add_op, TileOp::add},
      {&subtract_op, TileOp::subtract},
      {&multiply_op, TileOp::multiply},
      {&divide_op, TileOp::divide},
      {&power_op, TileOp::power},
      {&maximum_op, TileOp::maximum},
      {&minimum_op, TileOp::minimum},
      {&remainder_op, TileOp::remainder},
      {&select_op, TileOp::select},
  };
  return all;
}

const std::map<const OpDef*, TileOp>& logical_instructions() {
  static const std::map<const OpDef*, TileOp> all{{&not_op, TileOp::logical_not},
                                                  {&and_op, TileOp::logical_and},
                                                  {&or_op, TileOp::logical_or},
                                                  {&xor_op, TileOp::logical_xor}};
  return all;
}

TileOp comparison(std::string_view direction) {
  static const std::map<std::string_view, TileOp> all{
      {"EQ", TileOp::equal},      {"NE", TileOp::not_equal}, {"LT", TileOp::less},
      {"LE", TileOp::less_equal}, {"GT", TileOp::greater},   {"GE", TileOp::greater_equal}};
  return all.at(direction);
}

bool is_exact(DType dtype) {  // every number of it is a float32
  return dtype == DType::float32 || dtype == DType::bfloat16 || dtype == DType::uint8 ||
         dtype == DType::boolean;
}

bool all_small_whole(const Tensor& tensor) {
  Tensor numbers = tensor.converted(DType::float64);
  auto all = std::as_const(numbers).values<double>();
  return std::all_of(all.begin(), all.end(), [](double x) { return std::abs(x) <= largest_whole; });
}

bool chooses_small_whole(const Graph& graph, const Node& node);

// Whether all elements are known to be whole numbers that float32 holds.
bool is_small_whole(const Graph& graph, Value value) {
  const Node& node = graph.node(value);
  if (node.op == &broadcast_in_dim_op) return is_small_whole(graph, node.operands[0]);
  if (node.op == &iota_op) return node.results[0].shape.elements() <= largest_table;
  if (node.op == &convert_op) return is_exact(graph.type(node.operands[0]).dtype);
  if (node.op == &select_op) return chooses_small_whole(graph, node);
  return node.op == &constant_op && node.attrs.tensor("value").elements() <= largest_table &&
         all_small_whole(node.attrs.tensor("value"));
}

bool chooses_small_whole(const Graph& graph, const Node& node) {
  return is_small_whole(graph, node.operands[1]) && is_small_whole(graph, node.operands[2]);
}

// int32 numbers become float32 when loaded, rounded for large ones. A comparison with a small whole
// number is right all the same, because rounding keeps the order.
bool compares_exactly(const Graph& graph, const Node& node) {
  DType dtype = graph.type(node.operands[0]).dtype;
  if (is_exact(dtype)) return true;
  return dtype == DType::int32 &&
         (is_small_whole(graph, node.operands[0]) || is_small_whole(graph, node.operands[1]));
}

std::optional<TileOp> conversion(DType from, DType to) {
  const bool readable = is_exact(from) || from == DType::int32;
  const bool byte = from == DType::uint8 || from == DType::boolean;
  if (from == DType::float32 && to == DType::bfloat16) return TileOp::round_bfloat16;
  const bool exact =
      (to == DType::float32 && readable) || ((to == DType::int32 || to == DType::bfloat16) && byte);
  return exact ? std::optional(TileOp::copy) : std::nullopt;
}

// The instruction of an elementwise node; empty when there is none that gives the same numbers.
std::optional<TileOp> instruction_of(const Graph& graph, const Node& node) {
  DType result = node.results[0].dtype;
  if (node.op == &compare_op && compares_exactly(graph, node))
    return comparison(node.attrs.text("direction"));
  if (node.op == &convert_op) return conversion(graph.type(node.operands[0]).dtype, result);
  auto logical = logical_instructions().find(node.op);
  if (logical != logical_instructions().end())
    return result == DType::boolean ? std::optional(logical->second) : std::nullopt;
  auto found = instructions().find(node.op);
  if (found == instructions().end()) return {};
  DType operand = graph.type(node.operands.back()).dtype;
  bool moves = node.op == &select_op &&
               (is_exact(result) || (result == DType::int32 && chooses_small_whole(graph, node)));
  return operand == DType::float32 || moves ? std::optional(found->second) : std::nullopt;
}

// --- random numbers: multiply(convert(shift_right_logical(random_bits(key, 0), 8)), 2^-24) ---

std::optional<double> number_of(const Graph& graph, Value value) {
  const Node& node = graph.node(value);
  if (node.op == &broadcast_in_dim_op) return number_of(graph, node.operands[0]);
  if (node.op != &constant_op || node.attrs.tensor("value").elements() != 1) return {};
  Tensor converted = node.attrs.tensor("value").converted(DType::float64);
  return converted.values<double>()[0];
}

bool is_number(const Graph& graph, Value value, double number) {
  return number_of(graph, value) == number;
}

const Node* made_by(const Graph& graph, Value value, const OpDef& op) {
  const Node& node = graph.node(value);
  return node.op == &op ? &node : nullptr;
}

bool is_first_bits(const Graph& graph, const Node& node) {
  return node.op == &random_bits_op && is_number(graph, node.operands[1], 0);
}

bool is_upper_bits(const Graph& graph, const Node& node) {
  if (node.op != &shift_right_logical_op || !is_number(graph, node.operands[1], 8)) return false;
  const Node* bits = made_by(graph, node.operands[0], random_bits_op);
  return bits != nullptr && is_first_bits(graph, *bits);
}

bool is_converted_bits(const Graph& graph, const Node& node) {
  return node.op == &convert_op && node.results[0].dtype == DType::float32 &&
         is_upper_bits(graph, graph.node(node.operands[0]));
}

// The key of the uniform numbers that a node makes.
std::optional<Value> key_of_uniform(const Graph& graph, const Node& node) {
  if (node.op != &multiply_op || !is_number(graph, node.operands[1], 0x1p-24)) return {};
  const Node& converted = graph.node(node.operands[0]);
  if (!is_converted_bits(graph, converted)) return {};
  return graph.node(graph.node(converted.operands[0]).operands[0]).operands[0];
}

// The rate of dropout, where a node says which uniform numbers are not below it.
std::optional<double> rate_of_keep(const Graph& graph, const Node& node) {
  if (node.op != &compare_op || node.attrs.text("direction") != "GE") return {};
  if (!key_of_uniform(graph, graph.node(node.operands[0]))) return {};
  std::optional<double> rate = number_of(graph, node.operands[1]);
  return rate && *rate >= 0 && *rate <= 1 ? rate : std::nullopt;
}

// --- bodies ---

bool is_table(const Node& node) {
  return (node.op == &constant_op || node.op == &iota_op) &&
         node.results[0].shape.elements() <= largest_table;
}

class Lowering {
 public:
  explicit Lowering(const Graph& body) : body_(body) {
    shape_ = iteration_shape(body);
    lowered_.count = shape_.elements();
  }

  std::variant<LoweredBody, std::string> run() {
    for (const Port& output : body_.outputs()) add_output(output.value);
    if (!refusal_.empty()) return refusal_;
    lowered_.program.registers = next_register_;
    lowered_.program = scheduled(lowered_.program);
    return lowered_;
  }

 private:
  int refuse(std::string reason) {
    if (refusal_.empty()) refusal_ = std::move(reason);
    return 0;
  }

  void add_output(Value value) {
    DType dtype = body_.type(value).dtype;
    const bool whole = dtype == DType::int32 && is_small_whole(body_, value);
    if (!is_exact(dtype) && !whole) refuse(fmt::format("results of {}", name_of(dtype)));
    if (const Node& node = body_.node(value); node.op == &reduce_op) {
      if (!is_sum_of_rows(body_, node)) refuse("a reduction that is no sum of rows");
      lowered_.program.outputs.push_back(
          {.reg = register_of(node.operands[0]), .columns = node.results[0].shape.elements()});
    } else {
      lowered_.program.outputs.push_back({.reg = register_of(value), .dtype = dtype});
    }
  }

  int register_of(Value value) {
    auto found = registers_.find(value);
    if (found != registers_.end()) return found->second;
    int made = make(value);
    return registers_[value] = made;
  }

  int make(Value value) {
    const Node& node = body_.node(value);
    if (node.results[0].shape != shape_) return refuse("an operand of another shape");
    if (node.op == &input_op || is_table(node) || is_view(body_, node)) return load(value);
    if (std::optional<Value> key = key_of_uniform(body_, node))
      return make_random({.op = TileOp::uniform, .to = 0}, *key);
    if (std::optional<double> rate = rate_of_keep(body_, node))
      return make_random({.op = TileOp::keep_mask, .to = 0, .value = static_cast<float>(*rate)},
                         *key_of_uniform(body_, body_.node(node.operands[0])));
    std::optional<TileOp> op = instruction_of(body_, node);
    if (!op) return refuse(fmt::format("{} of {}", node.op->name, name_of(node.results[0].dtype)));
    TileInstruction instruction{.op = *op, .to = 0};
    int* operands[] = {&instruction.a, &instruction.b, &instruction.c};
    for (size_t i = 0; i < node.operands.size(); ++i) *operands[i] = register_of(node.operands[i]);
    return emit(instruction);
  }

  int make_random(TileInstruction instruction, Value key) {
    const Node& node = body_.node(key);
    if (node.op != &input_op) return refuse("a random key that is computed inside");
    instruction.key = static_cast<int>(lowered_.keys.size());
    lowered_.keys.push_back(static_cast<int>(node.attrs.integer("number")));
    return emit(instruction);
  }

  int load(Value value) {
    std::optional<TileView> view = view_of(body_, value);
    if (!view) return refuse("elements that lie apart");
    const Node& source = body_.node(view->source);
    if (is_table(source)) return load_table(source, *view);
    DType dtype = source.results[0].dtype;
    if (source.op != &input_op) return refuse("a broadcast of a computed value");
    if (!is_exact(dtype) && dtype != DType::int32)
      return refuse(fmt::format("operands of {}", name_of(dtype)));
    lowered_.inputs.push_back(static_cast<int>(source.attrs.integer("number")));
    return add_input(dtype, *view);
  }

  int load_table(const Node& node, const TileView& view) {
    Tensor tensor = interpret_node(node, {})[0].converted(DType::float32);
    auto numbers = std::as_const(tensor).values<float>();
    if (view.access == TileAccess::scalar)
      return emit(
          {.op = TileOp::constant, .to = 0, .value = numbers[static_cast<size_t>(view.offset)]});
    if (!is_exact(node.results[0].dtype) && !all_small_whole(tensor))
      return refuse("whole numbers beyond 2^24");
    lowered_.tables.emplace_back(numbers.begin(), numbers.end());
    lowered_.inputs.push_back(-static_cast<int>(lowered_.tables.size()));
    return add_input(DType::float32, view);
  }

  int add_input(DType dtype, const TileView& view) {
    lowered_.program.inputs.push_back({.reg = next_register_,
                                       .dtype = dtype,
                                       .access = view.access,
                                       .extent = view.extent,
                                       .offset = view.offset,
                                       .axes = view.axes});
    return next_register_++;
  }

  int emit(TileInstruction instruction) {
    instruction.to = next_register_++;
    lowered_.program.instructions.push_back(instruction);
    return instruction.to;
  }

  const Graph& body_;
  Shape shape_;
  LoweredBody lowered_;
  std::map<Value, int> registers_;
  int next_register_ = 0;
  std::string refusal_;
};

}  // namespace

std::variant<LoweredBody, std::string> lower_to_tiles(const Graph& body) {
  return Lowering(body).run();
}

bool tiles_take(const Graph& graph, const Node& node) {
  if (is_table(node)) return node.results[0].shape.rank() <= 1;
  if (is_view(graph, node)) return tiles_read(graph, node);
  if (is_first_bits(graph, node) || is_upper_bits(graph, node) || is_converted_bits(graph, node))
    return true;
  if (is_sum_of_rows(graph, node)) return node.results[0].shape.elements() <= tile_floats;
  return node.op->op_class == OpClass::elementwise && instruction_of(graph, node).has_value();
}

}  // namespace hornbeam
