#include "compile/lower.h"

#include <fmt/format.h>

#include "ops/ops.h"

namespace hornbeam {
namespace {

// --- random_bits ---

Expr word(Builder& build, int64_t value) {
  return build.constant(Tensor::scalar(static_cast<int32_t>(static_cast<uint32_t>(value))));
}
Expr long_word(Builder& build, int64_t value) { return build.constant(Tensor::scalar(value)); }

Expr low_half(Expr x) { return convert(x, DType::int32); }
Expr high_half(Expr x) {
  return convert(shift_right_logical(x, long_word(*x.builder, 32)), DType::int32);
}

Expr rotated(Expr x, int left) {
  Builder& build = *x.builder;
  return bitwise_or(shift_left(x, word(build, left)),
                    shift_right_logical(x, word(build, 32 - left)));
}

struct Words {
  Expr low, high;
};

// base/rng.h's threefry, on many counters at once.
Words threefry_words(Expr key, Expr counters) {
  constexpr int rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  Builder& build = *key.builder;
  Expr keys[3] = {low_half(key), high_half(key), {}};
  keys[2] = bitwise_xor(word(build, 0x1BD11BDA), bitwise_xor(keys[0], keys[1]));
  Words x{low_half(counters) + keys[0], high_half(counters) + keys[1]};
  for (int group = 0; group < 5; ++group) {
    for (int round = 0; round < 4; ++round) {
      x.low = x.low + x.high;
      x.high = bitwise_xor(rotated(x.high, rotations[(group % 2) * 4 + round]), x.low);
    }
    x.low = x.low + keys[(group + 1) % 3];
    x.high = x.high + (keys[(group + 2) % 3] + word(build, group + 1));
  }
  return x;
}

Exprs lowered_random_bits(const Node& node, std::span<const Expr> x) {
  Builder& build = *x[0].builder;
  Shape shape(node.attrs.integers("shape"));
  const int64_t count = shape.elements(), pairs = (count + 1) / 2;
  Expr counters = iota(build, {DType::int64, {pairs}}, 0) + x[1];
  Words words = threefry_words(x[0], counters);
  Expr columns[] = {reshape(words.low, {pairs, 1}), reshape(words.high, {pairs, 1})};
  Expr flat = reshape(concatenate(columns, 1), {2 * pairs});
  return {reshape(slice(flat, {0}, {count}, {1}), shape)};
}

// --- scan ---

// Names of inputs are told apart by their places.
Exprs state_inputs(Builder& build, std::span<const Expr> state) {
  Exprs inputs;
  for (size_t i = 0; i < state.size(); ++i)
    inputs.push_back(build.input(fmt::format("state {}", i), Type(state[i].type())));
  return inputs;
}

Graph counter_below(std::span<const Expr> state, int64_t length) {
  Builder build;
  Exprs inputs = state_inputs(build, state);
  build.output("goes on", compare(inputs[0], "LT", word(build, length)));
  return build.finish();
}

// The place of element `number` of a sequence: that number, then zeros.
Exprs starts_of(Expr number, int64_t rank) {
  Exprs starts(static_cast<size_t>(rank), word(*number.builder, 0));
  starts[0] = number;
  return starts;
}

Shape with_one_row(const Shape& shape) {
  Shape row(shape);
  row[0] = 1;
  return row;
}

Expr element_of(Expr sequence, Expr number) {
  Expr row =
      dynamic_slice(sequence, starts_of(number, sequence.rank()), with_one_row(sequence.shape()));
  return reshape(row,
                 Shape(std::vector<int64_t>(sequence.shape().begin() + 1, sequence.shape().end())));
}

Expr with_element(Expr sequence, Expr number, Expr element) {
  return dynamic_update_slice(sequence, reshape(element, with_one_row(sequence.shape())),
                              starts_of(number, sequence.rank()));
}

// The state of the loop: a counter, the operands of the scan, its outputs so far.
struct ScanLoop {
  explicit ScanLoop(const Node& node)
      : body(*node.bodies[0]),
        constants(static_cast<size_t>(node.attrs.integer("constants"))),
        carries(static_cast<size_t>(node.attrs.integer("carries"))),
        length(node.attrs.integer("length")),
        reverse(node.attrs.boolean("reverse")) {}

  size_t carries_begin() const { return 1 + constants; }
  size_t sequences_begin() const { return carries_begin() + carries; }
  size_t outputs_begin() const { return 1 + body.inputs().size(); }

  Graph one_step(std::span<const Expr> state) const {
    Builder build;
    Exprs inputs = state_inputs(build, state), next = inputs;
    Expr number = reverse ? word(build, length - 1) - inputs[0] : inputs[0];
    Exprs given(inputs.begin() + 1, inputs.begin() + static_cast<ptrdiff_t>(outputs_begin()));
    for (size_t i = sequences_begin() - 1; i < given.size(); ++i)
      given[i] = element_of(given[i], number);
    Exprs made = inline_graph(build, body, given);
    next[0] = inputs[0] + word(build, 1);
    for (size_t i = 0; i < made.size(); ++i) {
      size_t place = i < carries ? carries_begin() + i : outputs_begin() + i - carries;
      next[place] = i < carries ? made[i] : with_element(inputs[place], number, made[i]);
    }
    for (size_t i = 0; i < next.size(); ++i) build.output(fmt::format("state {}", i), next[i]);
    return build.finish();
  }

  const Graph& body;
  size_t constants, carries;
  int64_t length;
  bool reverse;
};

Exprs lowered_scan(const Node& node, std::span<const Expr> x) {
  Builder& build = *x[0].builder;
  ScanLoop loop(node);
  Exprs state{word(build, 0)};
  state.insert(state.end(), x.begin(), x.end());
  for (size_t i = loop.carries; i < node.results.size(); ++i)
    state.push_back(full(build, node.results[i], 0));
  // A loop that never runs has no elements to take.
  Exprs last = loop.length == 0
                   ? state
                   : while_loop(counter_below(state, loop.length), loop.one_step(state), state);
  Exprs results(last.begin() + static_cast<ptrdiff_t>(loop.carries_begin()),
                last.begin() + static_cast<ptrdiff_t>(loop.sequences_begin()));
  results.insert(results.end(), last.begin() + static_cast<ptrdiff_t>(loop.outputs_begin()),
                 last.end());
  return results;
}

Exprs lowered_node(Builder& build, const Node& node, std::span<const Expr> operands,
                   BodyRewrite& bodies) {
  if (node.op == &random_bits_op) return lowered_random_bits(node, operands);
  Node copy = node;
  copy.bodies = bodies(node.bodies);
  return copy.op == &scan_op ? lowered_scan(copy, operands) : build.add_like(copy, operands);
}

}  // namespace

Graph lower(const Graph& graph) {
  BodyRewrite bodies(lower);
  return rewrite_graph(graph, [&](Builder& build, const Node& node, auto operands) {
    return lowered_node(build, node, operands, bodies);
  });
}

std::vector<Pass> stablehlo_passes(const CompileOptions& options, int devices) {
  std::vector<Pass> passes = neutral_passes(
      options, [](const Node&, const Types&) { return false; }, devices);
  passes.push_back({"lower", lower, true});
  return passes;
}

}  // namespace hornbeam
