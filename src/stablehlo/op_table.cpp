// The one table of how ops are written: a row an op.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "ops/ops.h"
#include "ops/reduction_kind.h"
#include "ops/reference.h"
#include "stablehlo/text.h"
#include "stablehlo/writer.h"

namespace hornbeam {
namespace {

using Operands = std::span<const Named>;
using Attributes = std::vector<std::string>;

// StableHLO's op of the same name, with the attributes that `attributes` makes of the node's.
template <Attributes (*attributes)(const Node& node)>
NamedList same_name(Writer& writer, const Node& node, Operands x) {
  return writer.emit(node.op->name, x, node.results, {.attributes = attributes(node)});
}
NamedList plain(Writer& writer, const Node& node, Operands x) {
  return writer.emit(node.op->name, x, node.results);
}

std::string array(const Node& node, const char* name, std::string_view called) {
  return fmt::format("{} = {}", called, integer_array(node.attrs.integers(name)));
}
std::string array(const Node& node, const char* name) { return array(node, name, name); }
std::string number(const Node& node, const char* name, std::string_view called) {
  return fmt::format("{} = {}", called, integer(node.attrs.integer(name)));
}
std::string padding(const Node& node) {
  return "padding = " +
         paddings(node.attrs.integers("padding_low"), node.attrs.integers("padding_high"));
}

Type scalar_of(const Named& value) { return {value.type.dtype, {}}; }

// --- attributes ---

Attributes broadcast(const Node& node) {
  return {array(node, "dimensions", "broadcast_dimensions")};
}
Attributes compare(const Node& node) {
  return {fmt::format("comparison_direction = #stablehlo<comparison_direction {}>",
                      node.attrs.text("direction"))};
}
Attributes concatenate(const Node& node) { return {number(node, "dimension", "dimension")}; }
Attributes dynamic_slice(const Node& node) { return {array(node, "sizes", "slice_sizes")}; }
Attributes iota(const Node& node) { return {number(node, "dimension", "iota_dimension")}; }
Attributes pad(const Node& node) {
  return {array(node, "low", "edge_padding_low"), array(node, "high", "edge_padding_high"),
          array(node, "interior", "interior_padding")};
}
Attributes reverse(const Node& node) { return {array(node, "dimensions")}; }
Attributes slice(const Node& node) {
  return {array(node, "starts", "start_indices"), array(node, "limits", "limit_indices"),
          array(node, "strides")};
}
Attributes transpose(const Node& node) { return {array(node, "permutation")}; }

// --- products ---

std::string_view precision_name(MatmulPrecision precision) {
  switch (precision) {
    case MatmulPrecision::highest:
      return "HIGHEST";
    case MatmulPrecision::high:
      return "HIGH";
    case MatmulPrecision::standard:
      return "DEFAULT";
  }
  __builtin_unreachable();
}

std::string precision(const Writer& writer) {
  return fmt::format("precision_config = [#stablehlo<precision {0}>, #stablehlo<precision {0}>]",
                     precision_name(writer.options().matmul_precision));
}

NamedList write_dot(Writer& writer, const Node& node, Operands x) {
  auto list = [&](const char* name) { return integer_list(node.attrs.integers(name)); };
  std::string dimensions = fmt::format(
      "dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = {}, "
      "rhs_batching_dimensions = {}, lhs_contracting_dimensions = {}, rhs_contracting_dimensions = "
      "{}>",
      list("lhs_batching"), list("rhs_batching"), list("lhs_contracting"), list("rhs_contracting"));
  return writer.emit("dot_general", x, node.results,
                     {.attributes = {dimensions, precision(writer)}});
}

// "b01f_01io->b01f" as "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]".
std::string convolution_dimensions(const std::string& text) {
  std::string result = "[";
  for (char c : text) {
    if (c == '>') continue;
    const bool next_axis = result.back() != '[' && c != '_' && c != '-';
    if (next_axis) result += ", ";
    result += c == '_' ? "]x[" : c == '-' ? "]->[" : std::string(1, c);
  }
  return result + "]";
}

NamedList write_convolution(Writer& writer, const Node& node, Operands x) {
  std::string dimensions =
      fmt::format("dimension_numbers = #stablehlo.conv<{}>",
                  convolution_dimensions(node.attrs.text("dimension_numbers")));
  return writer.emit(
      "convolution", x, node.results,
      {.attributes = {array(node, "window_strides"), padding(node), array(node, "lhs_dilation"),
                      array(node, "rhs_dilation"), dimensions,
                      number(node, "feature_group_count", "feature_group_count"),
                      number(node, "batch_group_count", "batch_group_count"), precision(writer)}});
}

// --- reductions and windows ---

Named start_value(Writer& writer, std::string_view kind, DType dtype) {
  Tensor value(dtype, {});
  visit(dtype, [&]<class T>() {
    if constexpr (is_float_type<T>)
      value = Tensor::scalar(initial_value<double>(kind)).converted(dtype);
    else if constexpr (std::is_same_v<T, bool>)
      value = Tensor::scalar(kind == "and");
    else
      value.values<T>()[0] = kind == "maximum"   ? std::numeric_limits<T>::lowest()
                             : kind == "minimum" ? std::numeric_limits<T>::max()
                                                 : static_cast<T>(initial_value<int64_t>(kind));
  });
  return writer.constant(value);
}

NamedList write_reduce(Writer& writer, const Node& node, Operands x) {
  const std::string& kind = node.attrs.text("kind");
  Named operands[] = {x[0], start_value(writer, kind, x[0].type.dtype)};
  return writer.emit("reduce", operands, node.results,
                     {.attributes = {array(node, "dimensions")},
                      .regions = {combining_region(kind, scalar_of(x[0]))}});
}

NamedList write_reduce_window(Writer& writer, const Node& node, Operands x) {
  const std::string& kind = node.attrs.text("kind");
  Named operands[] = {x[0], start_value(writer, kind, x[0].type.dtype)};
  return writer.emit("reduce_window", operands, node.results,
                     {.attributes = {array(node, "window_dimensions"),
                                     array(node, "window_strides"), array(node, "base_dilations"),
                                     array(node, "window_dilations"), padding(node)},
                      .regions = {combining_region(kind, scalar_of(x[0]))}});
}

NamedList write_select_and_scatter(Writer& writer, const Node& node, Operands x) {
  Named operands[] = {x[0], x[1], start_value(writer, "add", x[0].type.dtype)};
  return writer.emit("select_and_scatter", operands, node.results,
                     {.attributes = {array(node, "window_dimensions"),
                                     array(node, "window_strides"), padding(node)},
                      // Of equal values the first one is selected.
                      .regions = {combining_region("compare", scalar_of(x[0])),
                                  combining_region("add", scalar_of(x[0]))}});
}

// --- tables ---

Integers counted_from(int64_t first, int64_t count) {
  Integers numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

// StableHLO moves an index that lies outside into the table.
NamedList write_gather(Writer& writer, const Node& node, Operands x) {
  const Shape &table = x[0].type.shape, &indices = x[1].type.shape;
  Integers row = table.extents();
  row[0] = 1;
  std::string dimensions = fmt::format(
      "dimension_numbers = #stablehlo.gather<offset_dims = {}, collapsed_slice_dims = [0], "
      "start_index_map = [0], index_vector_dim = {}>",
      integer_list(counted_from(indices.rank(), table.rank() - 1)), indices.rank());
  return writer.emit("gather", x, node.results,
                     {.attributes = {dimensions, "slice_sizes = " + integer_array(row)}});
}

NamedList write_scatter(Writer& writer, const Node& node, Operands x) {
  const int64_t rank = x[0].type.shape.rank();
  Named zero = start_value(writer, "add", x[1].type.dtype);
  Named zeros = writer.emit_one("broadcast_in_dim", {&zero, 1}, node.results[0],
                                {.attributes = {"broadcast_dimensions = array<i64>"}});
  Named operands[] = {zeros, x[0], x[1]};
  std::string dimensions = fmt::format(
      "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = {}, "
      "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = {}>",
      integer_list(counted_from(rank, x[1].type.shape.rank() - rank)), rank);
  return writer.emit(
      "scatter", operands, node.results,
      {.attributes = {dimensions}, .regions = {combining_region("add", scalar_of(x[1]))}});
}

// --- control, replicas, constants ---

NamedList write_while(Writer& writer, const Node& node, Operands x) {
  return writer.emit("while", x, node.results,
                     {.regions = {writer.region(*node.bodies[0]), writer.region(*node.bodies[1])}});
}

NamedList write_all_reduce(Writer& writer, const Node& node, Operands x) {
  Integers devices = counted_from(0, writer.options().devices);
  std::string groups = fmt::format("replica_groups = dense<[{}]> : tensor<1x{}xi64>",
                                   integer_list(devices), devices.size());
  return writer.emit(
      "all_reduce", x, node.results,
      {.attributes = {groups}, .regions = {combining_region("add", scalar_of(x[0]))}});
}

NamedList write_replica_id(Writer& writer, const Node&, Operands) { return {writer.replica_id()}; }

NamedList write_constant(Writer& writer, const Node& node, Operands) {
  return {writer.constant(node.attrs.tensor("value"))};
}

struct Row {
  const OpDef* op;
  WriteOp write;
};

const Row rows[] = {
    {&abs_op, plain},
    {&ceil_op, plain},
    {&cosine_op, plain},
    {&exponential_op, plain},
    {&exponential_minus_one_op, plain},
    {&floor_op, plain},
    {&is_finite_op, plain},
    {&log_op, plain},
    {&log_plus_one_op, plain},
    {&logistic_op, plain},
    {&negate_op, plain},
    {&not_op, plain},
    {&round_nearest_even_op, plain},
    {&rsqrt_op, plain},
    {&sign_op, plain},
    {&sine_op, plain},
    {&sqrt_op, plain},
    {&tanh_op, plain},
    {&add_op, plain},
    {&and_op, plain},
    {&compare_op, same_name<compare>},
    {&convert_op, plain},
    {&divide_op, plain},
    {&maximum_op, plain},
    {&minimum_op, plain},
    {&multiply_op, plain},
    {&or_op, plain},
    {&power_op, plain},
    {&remainder_op, plain},
    {&select_op, plain},
    {&shift_left_op, plain},
    {&shift_right_logical_op, plain},
    {&subtract_op, plain},
    {&xor_op, plain},
    {&constant_op, write_constant},
    {&iota_op, same_name<iota>},
    {&broadcast_in_dim_op, same_name<broadcast>},
    {&concatenate_op, same_name<concatenate>},
    {&dynamic_slice_op, same_name<dynamic_slice>},
    {&dynamic_update_slice_op, plain},
    {&pad_op, same_name<pad>},
    {&reshape_op, plain},
    {&reverse_op, same_name<reverse>},
    {&optimization_barrier_op, plain},
    {&slice_op, same_name<slice>},
    {&transpose_op, same_name<transpose>},
    {&reduce_op, write_reduce},
    {&reduce_window_op, write_reduce_window},
    {&select_and_scatter_op, write_select_and_scatter},
    {&convolution_op, write_convolution},
    {&dot_general_op, write_dot},
    {&gather_op, write_gather},
    {&scatter_op, write_scatter},
    {&while_op, write_while},
    {&all_reduce_op, write_all_reduce},
    {&replica_id_op, write_replica_id},
};

}  // namespace

WriteOp write_of(const OpDef& op) {
  auto found = std::ranges::find(rows, &op, &Row::op);
  return found == std::end(rows) ? nullptr : found->write;
}

}  // namespace hornbeam
