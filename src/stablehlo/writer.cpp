#include "stablehlo/writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "stablehlo/text.h"

namespace hornbeam {
namespace {

Types types_of(std::span<const Named> values) {
  Types types;
  for (const Named& value : values) types.push_back(value.type);
  return types;
}

std::string names_of(std::span<const Named> values) {
  std::vector<std::string_view> names;
  for (const Named& value : values) names.push_back(value.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// One type stands without parentheses.
std::string result_types(const Types& types) {
  return types.size() == 1 ? stablehlo_type(types[0]) : stablehlo_types(types);
}

NamedList named_results(const std::string& name, const Types& types) {
  if (types.size() == 1) return {{name, types[0]}};
  NamedList results;
  for (size_t i = 0; i < types.size(); ++i)
    results.push_back({fmt::format("{}#{}", name, i), types[i]});
  return results;
}

NamedList write_node(Writer& writer, const Node& node, std::span<const Named> operands) {
  WriteOp write = write_of(*node.op);
  if (write == nullptr)
    throw Error("H704", {.message = fmt::format("StableHLO has no form of {}", node.op->name)});
  return write(writer, node, operands);
}

}  // namespace

NamedList Writer::emit(std::string_view op, std::span<const Named> operands, const Types& results,
                       const Tail& tail) {
  std::string name = fresh_name();
  std::string count = results.size() == 1 ? "" : fmt::format(":{}", results.size());
  text_ += fmt::format("{}{} = \"stablehlo.{}\"({})", name, count, op, names_of(operands));
  if (!tail.regions.empty()) text_ += fmt::format(" ({})", fmt::join(tail.regions, ", "));
  if (!tail.attributes.empty()) text_ += fmt::format(" {{{}}}", fmt::join(tail.attributes, ", "));
  text_ += fmt::format(" : {} -> {}\n", stablehlo_types(types_of(operands)), result_types(results));
  return named_results(name, results);
}

Named Writer::constant(const Tensor& tensor) {
  return emit_one("constant", {}, {tensor.dtype(), tensor.shape()},
                  {.attributes = {"value = " + stablehlo_constant(tensor)}});
}

Named Writer::replica_id() {
  std::string own = fresh_name(), converted = fresh_name();
  text_ += fmt::format(
      "{0} = \"stablehlo.replica_id\"() : () -> tensor<ui32>\n"
      "{1} = \"stablehlo.convert\"({0}) : (tensor<ui32>) -> tensor<i64>\n",
      own, converted);
  return {converted, {DType::int64, {}}};
}

NamedList Writer::body(const Graph& graph, std::span<const Named> inputs) {
  std::vector<NamedList> values;
  for (const Node& node : graph.nodes()) {
    if (node.op == &input_op) {
      values.push_back({inputs[static_cast<size_t>(node.attrs.integer("number"))]});
      continue;
    }
    NamedList operands;
    for (Value operand : node.operands) operands.push_back(values[operand.node][operand.index]);
    values.push_back(write_node(*this, node, operands));
  }
  NamedList outputs;
  for (const Port& port : graph.outputs())
    outputs.push_back(values[port.value.node][port.value.index]);
  return outputs;
}

std::string Writer::region(const Graph& graph) {
  std::string outer = std::exchange(text_, "");
  NamedList inputs;
  std::vector<std::string> arguments;
  for (const Port& port : graph.inputs()) {
    inputs.push_back({fresh_name(), graph.type(port.value)});
    arguments.push_back(
        fmt::format("{}: {}", inputs.back().name, stablehlo_type(inputs.back().type)));
  }
  NamedList outputs = body(graph, inputs);
  std::string text = fmt::format("{{\n^bb0({}):\n{}\"stablehlo.return\"({}) : {} -> ()\n}}",
                                 fmt::join(arguments, ", "), text_, names_of(outputs),
                                 stablehlo_types(types_of(outputs)));
  text_ = std::move(outer);
  return text;
}

std::string combining_region(std::string_view op, const Type& scalar) {
  const bool compares = op == "compare";
  std::string type = stablehlo_type(scalar);
  return fmt::format(
      "{{\n^bb0(%left: {0}, %right: {0}):\n%both = \"stablehlo.{1}\"(%left, %right){2} : ({0}, "
      "{0}) "
      "-> {3}\n\"stablehlo.return\"(%both) : ({3}) -> ()\n}}",
      type, op, compares ? " {comparison_direction = #stablehlo<comparison_direction GE>}" : "",
      compares ? "tensor<i1>" : type);
}

}  // namespace hornbeam
