// Ops that contain graphs: scan and while.
#include <fmt/format.h>

#include <cstring>

#include "ir/interpret.h"
#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/rules.h"

namespace hornbeam {
namespace {

Types input_types(const Graph& graph) {
  Types types;
  for (const Port& port : graph.inputs()) types.push_back(graph.type(port.value));
  return types;
}

Types output_types(const Graph& graph) {
  Types types;
  for (const Port& port : graph.outputs()) types.push_back(graph.type(port.value));
  return types;
}

std::string text_of(const Types& types) {
  std::string text;
  for (const Type& type : types) text += (text.empty() ? "" : ", ") + to_string(type);
  return "(" + text + ")";
}

Type stacked(const Type& element, int64_t length) {
  std::vector<int64_t> extents{length};
  extents.insert(extents.end(), element.shape.begin(), element.shape.end());
  return {element.dtype, Shape(std::move(extents))};
}

// --- scan ---

Types scan_type(const OpUse& use) {
  const Graph& body = *use.bodies[0];
  size_t carries = static_cast<size_t>(use.attrs.integer("carries"));
  int64_t length = use.attrs.integer("length");
  Types in = input_types(body), out = output_types(body);
  require_types(length >= 0 && carries <= in.size() && carries <= out.size() &&
                    use.operands.size() == in.size(),
                fmt::format("expected {} operands, received {}", in.size(), use.operands.size()));
  for (size_t i = 0; i < in.size(); ++i) {
    Type expected = i < carries ? in[i] : stacked(in[i], length);
    require_types(
        use.operands[i] == expected && (i >= carries || in[i] == out[i]),
        fmt::format("operand {} of a scan with body {} -> {} must be {}, received {}", i,
                    text_of(in), text_of(out), to_string(expected), to_string(use.operands[i])));
  }
  for (size_t i = carries; i < out.size(); ++i) out[i] = stacked(out[i], length);
  return out;
}

Tensor element_of(const Tensor& sequence, const Type& type, int64_t number) {
  Tensor element(type.dtype, type.shape);
  std::memcpy(element.data(), sequence.data() + static_cast<size_t>(number) * element.bytes(),
              element.bytes());
  return element;
}

void scan_reference(const Node& node, std::span<const Tensor* const> x, std::span<Tensor> y) {
  const Graph& body = *node.bodies[0];
  size_t carries = static_cast<size_t>(node.attrs.integer("carries"));
  int64_t length = node.attrs.integer("length");
  Types in = input_types(body);
  std::vector<Tensor> state;
  for (size_t i = 0; i < carries; ++i) state.push_back(*x[i]);
  for (int64_t step = 0; step < length; ++step) {
    int64_t number = node.attrs.boolean("reverse") ? length - 1 - step : step;
    std::vector<Tensor> inputs = state;
    for (size_t i = carries; i < in.size(); ++i) inputs.push_back(element_of(*x[i], in[i], number));
    std::vector<Tensor> outputs = interpret(body, inputs);
    for (size_t i = carries; i < outputs.size(); ++i)
      std::memcpy(y[i].data() + static_cast<size_t>(number) * outputs[i].bytes(), outputs[i].data(),
                  outputs[i].bytes());
    state.assign(outputs.begin(), outputs.begin() + static_cast<ptrdiff_t>(carries));
  }
  for (size_t i = 0; i < carries; ++i) y[i] = state[i];
}

// The body that also gives out the carries it was given.
Graph body_that_keeps_carries(const Graph& body, size_t carries) {
  Builder build;
  Exprs inputs;
  for (size_t i = 0; i < body.inputs().size(); ++i)
    inputs.push_back(build.input(fmt::format("input {}", i), body.type(body.inputs()[i].value)));
  Exprs outputs = inline_graph(build, body, inputs);
  for (size_t i = 0; i < outputs.size(); ++i) build.output(fmt::format("output {}", i), outputs[i]);
  for (size_t i = 0; i < carries; ++i) build.output(fmt::format("carry {}", i), inputs[i]);
  return build.finish();
}

// One step backwards: (gradients of the carries, of the outputs, then the step's own inputs) ->
// (gradients of the carries given, of the sequence elements).
Graph backward_body(const Graph& body, size_t carries) {
  Builder build(true);
  Types in = input_types(body), out = output_types(body);
  Exprs seeds, inputs;
  for (size_t i = 0; i < out.size(); ++i)
    seeds.push_back(build.input(fmt::format("gradient {}", i), out[i]));
  for (size_t i = 0; i < in.size(); ++i)
    inputs.push_back(build.input(fmt::format("input {}", i), in[i]));
  Exprs outputs = inline_graph(build, body, inputs);
  Exprs totals;
  for (const Expr& input : inputs) totals.push_back(full_like(input, 0));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!is_floating(outputs[i].dtype())) continue;
    Exprs parts = gradients(outputs[i], inputs, seeds[i]);
    for (size_t j = 0; j < parts.size(); ++j)
      if (is_floating(inputs[j].dtype())) totals[j] = totals[j] + parts[j];
  }
  for (size_t i = 0; i < totals.size(); ++i)
    build.output(fmt::format("{} {}", i < carries ? "carry" : "element", i), totals[i]);
  return build.finish();
}

// Gradients of sums over the steps are carried backwards; the carries each step was given are
// computed again by a forward scan.
Exprs scan_gradient(Grad& g) {
  const Graph& body = *g.node.bodies[0];
  size_t carries = static_cast<size_t>(g.node.attrs.integer("carries"));
  int64_t length = g.node.attrs.integer("length");
  bool reverse = g.node.attrs.boolean("reverse");
  size_t results = g.y.size();
  Exprs dy(g.dy.begin(), g.dy.end());
  for (size_t i = 0; i < results; ++i)
    if (!dy[i]) dy[i] = full_like(g.y[i], 0);
  Exprs kept = scan(body_that_keeps_carries(body, carries), g.x.subspan(0, carries),
                    g.x.subspan(carries), length, reverse);
  Exprs sequences(dy.begin() + static_cast<ptrdiff_t>(carries), dy.end());
  sequences.insert(sequences.end(), kept.begin() + static_cast<ptrdiff_t>(results), kept.end());
  sequences.insert(sequences.end(), g.x.begin() + static_cast<ptrdiff_t>(carries), g.x.end());
  return scan(backward_body(body, carries), std::span(dy).subspan(0, carries), sequences, length,
              !reverse);
}

// --- while ---

Types while_type(const OpUse& use) {
  Types state(use.operands.begin(), use.operands.end());
  const Graph &condition = *use.bodies[0], &body = *use.bodies[1];
  require_types(
      input_types(condition) == state && output_types(condition) == Types{{DType::boolean, {}}},
      fmt::format("expected a condition {} -> bool[], received {} -> {}", text_of(state),
                  text_of(input_types(condition)), text_of(output_types(condition))));
  require_types(input_types(body) == state && output_types(body) == state,
                fmt::format("expected a body {0} -> {0}, received {1} -> {2}", text_of(state),
                            text_of(input_types(body)), text_of(output_types(body))));
  return state;
}

void while_reference(const Node& node, std::span<const Tensor* const> x, std::span<Tensor> y) {
  std::vector<Tensor> state;
  for (const Tensor* value : x) state.push_back(*value);
  while (interpret(*node.bodies[0], state)[0].values<bool>()[0])
    state = interpret(*node.bodies[1], state);
  for (size_t i = 0; i < state.size(); ++i) y[i] = state[i];
}

}  // namespace

const OpDef scan_op{.name = "scan",
                    .attrs = {{{"carries", AttrKind::integer},
                               {"length", AttrKind::integer},
                               {"reverse", AttrKind::boolean}}},
                    .bodies = 1,
                    .infer = scan_type,
                    .reference = scan_reference,
                    .gradient = scan_gradient};
const OpDef while_op{
    .name = "while", .bodies = 2, .infer = while_type, .reference = while_reference};

Exprs scan(const Graph& body, std::span<const Expr> carries, std::span<const Expr> sequences,
           int64_t length, bool reverse) {
  check(!carries.empty() || !sequences.empty(), "a scan over something");
  Exprs operands(carries.begin(), carries.end());
  operands.insert(operands.end(), sequences.begin(), sequences.end());
  return operands[0].builder->add_all(
      scan_op, operands,
      {{"carries", static_cast<int64_t>(carries.size())}, {"length", length}, {"reverse", reverse}},
      {std::make_shared<const Graph>(body)});
}

Exprs while_loop(const Graph& condition, const Graph& body, std::span<const Expr> state) {
  check(!state.empty(), "a loop over something");
  return state[0].builder->add_all(
      while_op, state, {},
      {std::make_shared<const Graph>(condition), std::make_shared<const Graph>(body)});
}

}  // namespace hornbeam
