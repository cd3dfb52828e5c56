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

// How many operands of a scan are what.
struct ScanParts {
  explicit ScanParts(const Attrs& attrs)
      : constants(static_cast<size_t>(attrs.integer("constants"))),
        carries(static_cast<size_t>(attrs.integer("carries"))),
        length(attrs.integer("length")),
        reverse(attrs.boolean("reverse")) {}

  size_t sequences_begin() const { return constants + carries; }
  bool is_sequence(size_t operand) const { return operand >= sequences_begin(); }
  std::span<const Expr> constants_of(std::span<const Expr> x) const {
    return x.subspan(0, constants);
  }
  std::span<const Expr> carries_of(std::span<const Expr> x) const {
    return x.subspan(constants, carries);
  }
  std::span<const Expr> sequences_of(std::span<const Expr> x) const {
    return x.subspan(sequences_begin());
  }

  size_t constants, carries;
  int64_t length;
  bool reverse;
};

Types scan_type(const OpUse& use) {
  const Graph& body = *use.bodies[0];
  ScanParts parts(use.attrs);
  Types in = input_types(body), out = output_types(body);
  require_types(parts.length >= 0 && parts.constants <= in.size() &&
                    parts.carries <= in.size() - parts.constants && parts.carries <= out.size() &&
                    use.operands.size() == in.size(),
                [&] {
                  return fmt::format("expected {} operands, received {}", in.size(),
                                     use.operands.size());
                });
  for (size_t i = 0; i < in.size(); ++i) {
    Type expected = parts.is_sequence(i) ? stacked(in[i], parts.length) : in[i];
    bool carried = i >= parts.constants && !parts.is_sequence(i);
    require_types(
        use.operands[i] == expected && (!carried || in[i] == out[i - parts.constants]), [&] {
          return fmt::format("operand {} of a scan with body {} -> {} must be {}, received {}", i,
                             text_of(in), text_of(out), to_string(expected),
                             to_string(use.operands[i]));
        });
  }
  for (size_t i = parts.carries; i < out.size(); ++i) out[i] = stacked(out[i], parts.length);
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
  ScanParts parts(node.attrs);
  Types in = input_types(body);
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < in.size(); ++i)
    inputs.push_back(parts.is_sequence(i) ? Tensor(in[i].dtype, in[i].shape) : *x[i]);
  for (int64_t step = 0; step < parts.length; ++step) {
    int64_t number = parts.reverse ? parts.length - 1 - step : step;
    for (size_t i = parts.sequences_begin(); i < in.size(); ++i)
      inputs[i] = element_of(*x[i], in[i], number);
    std::vector<Tensor> outputs = interpret(body, inputs);
    for (size_t i = parts.carries; i < outputs.size(); ++i)
      std::memcpy(y[i].data() + static_cast<size_t>(number) * outputs[i].bytes(), outputs[i].data(),
                  outputs[i].bytes());
    for (size_t i = 0; i < parts.carries; ++i) inputs[parts.constants + i] = std::move(outputs[i]);
  }
  for (size_t i = 0; i < parts.carries; ++i) y[i] = inputs[parts.constants + i];
}

// The body that also gives out the carries it was given.
Graph body_that_keeps_carries(const Graph& body, const ScanParts& parts) {
  Builder build;
  Exprs inputs;
  for (size_t i = 0; i < body.inputs().size(); ++i)
    inputs.push_back(build.input(fmt::format("input {}", i), body.type(body.inputs()[i].value)));
  Exprs outputs = inline_graph(build, body, inputs);
  for (size_t i = 0; i < outputs.size(); ++i) build.output(fmt::format("output {}", i), outputs[i]);
  for (size_t i = 0; i < parts.carries; ++i)
    build.output(fmt::format("carry {}", i), inputs[parts.constants + i]);
  return build.finish();
}

// The gradient of all outputs of a body to each of its inputs, zero where none flows.
Exprs gradients_of_body(std::span<const Expr> outputs, std::span<const Expr> seeds,
                        std::span<const Expr> inputs) {
  Exprs totals;
  for (const Expr& input : inputs) totals.push_back(full_like(input, 0));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!is_floating(outputs[i].dtype())) continue;
    Exprs parts = gradients(outputs[i], inputs, seeds[i]);
    for (size_t j = 0; j < parts.size(); ++j)
      if (is_floating(inputs[j].dtype())) totals[j] = totals[j] + parts[j];
  }
  return totals;
}

// One step backwards, itself the body of a scan: constants as they are; carried are the sums of the
// constants' gradients so far and the gradients of the carries; elements are the gradients of the
// outputs, the carries that the step was given, and its elements.
Graph backward_body(const Graph& body, const ScanParts& parts) {
  Builder build(true);
  Types in = input_types(body), out = output_types(body);
  auto input = [&](const char* what, size_t i, const Type& type) {
    return build.input(fmt::format("{} {}", what, i), type);
  };
  Exprs inputs, sums, seeds;
  for (size_t i = 0; i < parts.constants; ++i) inputs.push_back(input("input", i, in[i]));
  for (size_t i = 0; i < parts.constants; ++i) sums.push_back(input("sum", i, in[i]));
  for (size_t i = 0; i < out.size(); ++i) seeds.push_back(input("gradient", i, out[i]));
  for (size_t i = parts.constants; i < in.size(); ++i) inputs.push_back(input("input", i, in[i]));
  Exprs totals = gradients_of_body(inline_graph(build, body, inputs), seeds, inputs);
  for (size_t i = 0; i < totals.size(); ++i)
    build.output(fmt::format("gradient {}", i), i < sums.size() ? sums[i] + totals[i] : totals[i]);
  return build.finish();
}

// Gradients of sums over the steps are carried backwards; the carries each step was given are
// computed again by a forward scan.
Exprs scan_gradient(Grad& g) {
  const Graph& body = *g.node.bodies[0];
  ScanParts parts(g.node.attrs);
  size_t results = g.y.size();
  Exprs dy(g.dy.begin(), g.dy.end());
  for (size_t i = 0; i < results; ++i)
    if (!dy[i]) dy[i] = full_like(g.y[i], 0);
  Exprs kept = scan(body_that_keeps_carries(body, parts),
                    {.constants = parts.constants_of(g.x),
                     .carries = parts.carries_of(g.x),
                     .sequences = parts.sequences_of(g.x)},
                    parts.length, parts.reverse);
  Exprs carries;
  for (const Expr& constant : parts.constants_of(g.x)) carries.push_back(full_like(constant, 0));
  carries.insert(carries.end(), dy.begin(), dy.begin() + static_cast<ptrdiff_t>(parts.carries));
  Exprs sequences(dy.begin() + static_cast<ptrdiff_t>(parts.carries), dy.end());
  sequences.insert(sequences.end(), kept.begin() + static_cast<ptrdiff_t>(results), kept.end());
  std::span<const Expr> elements = parts.sequences_of(g.x);
  sequences.insert(sequences.end(), elements.begin(), elements.end());
  return scan(backward_body(body, parts),
              {.constants = parts.constants_of(g.x), .carries = carries, .sequences = sequences},
              parts.length, !parts.reverse);
}

// --- while ---

Types while_type(const OpUse& use) {
  Types state(use.operands.begin(), use.operands.end());
  const Graph &condition = *use.bodies[0], &body = *use.bodies[1];
  require_types(
      input_types(condition) == state && output_types(condition) == Types{{DType::boolean, {}}},
      [&] {
        return fmt::format("expected a condition {} -> bool[], received {} -> {}", text_of(state),
                           text_of(input_types(condition)), text_of(output_types(condition)));
      });
  require_types(input_types(body) == state && output_types(body) == state, [&] {
    return fmt::format("expected a body {0} -> {0}, received {1} -> {2}", text_of(state),
                       text_of(input_types(body)), text_of(output_types(body)));
  });
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
                    .attrs = {{{"constants", AttrKind::integer},
                               {"carries", AttrKind::integer},
                               {"length", AttrKind::integer},
                               {"reverse", AttrKind::boolean}}},
                    .bodies = 1,
                    .infer = scan_type,
                    .reference = scan_reference,
                    .gradient = scan_gradient};
const OpDef while_op{
    .name = "while", .bodies = 2, .infer = while_type, .reference = while_reference};

Exprs scan(const Graph& body, const ScanOperands& parts, int64_t length, bool reverse) {
  Exprs operands(parts.constants.begin(), parts.constants.end());
  operands.insert(operands.end(), parts.carries.begin(), parts.carries.end());
  operands.insert(operands.end(), parts.sequences.begin(), parts.sequences.end());
  check(!operands.empty(), "a scan over something");
  return operands[0].builder->add_all(scan_op, operands,
                                      {{"constants", static_cast<int64_t>(parts.constants.size())},
                                       {"carries", static_cast<int64_t>(parts.carries.size())},
                                       {"length", length},
                                       {"reverse", reverse}},
                                      {std::make_shared<const Graph>(body)});
}

Exprs while_loop(const Graph& condition, const Graph& body, std::span<const Expr> state) {
  check(!state.empty(), "a loop over something");
  return state[0].builder->add_all(
      while_op, state, {},
      {std::make_shared<const Graph>(condition), std::make_shared<const Graph>(body)});
}

}  // namespace hornbeam
