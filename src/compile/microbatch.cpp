#include "compile/microbatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ops/ops.h"

namespace hornbeam {
namespace {

// The parts of a value of the outer graph, as a sequence for a scan.
Expr parts_of(Expr whole, BatchAxis axis, int64_t parts) {
  std::vector<int64_t> extents = whole.shape().extents();
  auto place = extents.begin() + static_cast<ptrdiff_t>(axis.axis);
  *place /= parts;
  extents.insert(place, parts);
  Integers permutation{axis.axis};
  for (int64_t i = 0; i < static_cast<int64_t>(extents.size()); ++i)
    if (i != axis.axis) permutation.push_back(i);
  Expr split = reshape(whole, Shape(std::move(extents)));
  return axis.axis == 0 ? split : transpose(split, permutation);
}

// The inverse.
Expr joined(Expr stacked, BatchAxis axis) {
  Integers permutation;
  for (int64_t i = 1; i < stacked.rank(); ++i) permutation.push_back(i);
  permutation.insert(permutation.begin() + static_cast<ptrdiff_t>(axis.axis), 0);
  Expr ordered = axis.axis == 0 ? stacked : transpose(stacked, permutation);
  std::vector<int64_t> extents = ordered.shape().extents();
  auto place = extents.begin() + static_cast<ptrdiff_t>(axis.axis);
  *(place + 1) *= *place;
  extents.erase(place);
  return reshape(ordered, Shape(std::move(extents)));
}

// Sums of bfloat16 are carried in float32.
Expr wide(Expr x) { return x.dtype() == DType::bfloat16 ? convert(x, DType::float32) : x; }

// The graph around the scans, and what has its value there so far.
struct Outer {
  Builder build;
  std::vector<Exprs> uniform;   // by node
  std::map<Value, Expr> whole;  // batch inputs and kept values
};

// The part of a scan over microbatches that one stage is.
class Stage {
 public:
  Stage(const MicrobatchStages& stages, int64_t samples, Outer& outer)
      : stages_(stages), samples_(samples), parts_(stages.samples() / samples), outer_(outer) {}

  void run(const MicrobatchStages::Work& work, const std::vector<uint32_t>& meetings) {
    for (Value value : work.loaded) load(value);
    for (uint32_t number : work.nodes) compute(number);
    for (uint32_t number : meetings) meet(number);
    if (carries_.empty() && work.stored.empty()) return;
    Exprs results = scanned(work.stored);
    auto result = results.begin();
    for (uint32_t number : meetings)
      for (const Type& type : graph().nodes()[number].results)
        outer_.uniform[number].push_back(convert(*result++, type.dtype));
    result = results.begin() + static_cast<ptrdiff_t>(carries_.size());
    for (Value value : work.stored) outer_.whole[value] = joined(*result++, stages_.axis(value));
  }

 private:
  enum class Given { constant, carry, element };
  struct Input {
    Given kind;
    Expr outer;  // what the scan gets for it
  };
  struct Carry {
    Expr start;  // in the outer graph
    Expr next;
  };

  const Graph& graph() const { return stages_.graph(); }

  // --- what comes from outside ---

  Expr input(Given kind, Expr outer, const Type& type) {
    inputs_.push_back({kind, outer});
    return body_.input(fmt::format("input {}", inputs_.size()), type);
  }

  Expr element(Expr whole, BatchAxis axis) {
    Type part = whole.type();
    part.shape[axis.axis] = axis.rows * samples_;
    return input(Given::element, parts_of(whole, axis, parts_), part);
  }

  // The number of the part, int32.
  Expr number() {
    if (!number_)
      number_ = input(Given::element, iota(outer_.build, {DType::int32, {parts_}}, 0),
                      {DType::int32, {}});
    return number_;
  }

  Expr uniform(Value value) {
    Expr& known = uniform_[value];
    if (known) return known;
    const Node& node = graph().node(value);
    if (node.op == &constant_op) return known = body_.add_like(node, {})[0];
    Expr outer = outer_.uniform[value.node][value.index];
    return known = input(Given::constant, outer, outer.type());
  }

  // The part of a value that does not depend on the batch but has its samples along an axis.
  Expr part_of_uniform(Value value, BatchAxis axis) {
    Expr& known = parts_of_uniform_[{value, axis.axis}];
    if (known) return known;
    Expr made = made_part(value, axis);
    return known = made ? made : element(outer_.uniform[value.node][value.index], axis);
  }

  // Without the whole of it, where the op allows that.
  Expr made_part(Value value, BatchAxis axis) {
    const Node& node = graph().node(value);
    body_.set_scope(node.scope);
    if (node.op == &broadcast_in_dim_op) return made_broadcast(node, axis);
    if (node.op == &iota_op) return made_iota(node, axis);
    if (node.op == &random_bits_op) return made_bits(node, axis);
    if (node.op->op_class != OpClass::elementwise) return {};
    Exprs operands;
    for (Value operand : node.operands) operands.push_back(part_of_uniform(operand, axis));
    body_.set_scope(node.scope);
    return body_.add(*node.op, operands, node.attrs);
  }

  Expr made_broadcast(const Node& node, BatchAxis axis) {
    const Integers& dimensions = node.attrs.integers("dimensions");
    auto place = std::ranges::find(dimensions, axis.axis);
    int64_t own = place - dimensions.begin();
    bool repeats = place == dimensions.end() || graph().type(node.operands[0]).shape[own] == 1;
    Expr operand =
        repeats ? uniform(node.operands[0]) : part_of_uniform(node.operands[0], {own, axis.rows});
    return body_.add(*node.op, {operand}, attrs_for(node, axis, samples_));
  }

  Expr made_iota(const Node& node, BatchAxis axis) {
    Expr counted = body_.add(*node.op, {}, attrs_for(node, axis, samples_));
    if (node.attrs.integer("dimension") != axis.axis) return counted;
    return counted + convert(number(), counted.dtype()) * static_cast<double>(axis.rows * samples_);
  }

  // Each number of the counter gives two words.
  Expr made_bits(const Node& node, BatchAxis axis) {
    Expr key = uniform(node.operands[0]), counter = uniform(node.operands[1]);
    int64_t words = node.results[0].shape.elements() / parts_;
    if (axis.axis != 0 || words % 2 != 0) return {};
    counter = counter +
              convert(number(), DType::int64) * body_.constant(Tensor::scalar(int64_t{words / 2}));
    return body_.add(*node.op, {key, counter}, attrs_for(node, axis, samples_));
  }

  // --- what the part computes ---

  void load(Value value) { cut_[value] = element(outer_.whole.at(value), stages_.axis(value)); }

  Exprs operands_of(uint32_t number) {
    const Node& node = graph().nodes()[number];
    Exprs operands;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      Value operand = node.operands[i];
      const auto& axis = stages_.flow(number).operands[i];
      operands.push_back(stages_.is_cut(operand.node) ? cut_.at(operand)
                         : axis                       ? part_of_uniform(operand, *axis)
                                                      : uniform(operand));
    }
    body_.set_scope(node.scope);
    return operands;
  }

  void compute(uint32_t number) {
    const Node& node = graph().nodes()[number];
    if (node.op == &input_op) return load({number, 0});
    Exprs operands = operands_of(number);
    Attrs attrs = attrs_for(node, stages_.axis({number, 0}), samples_);
    Exprs results = body_.add_all(*node.op, operands, attrs, node.bodies);
    for (uint32_t index = 0; index < results.size(); ++index)
      cut_[{number, index}] = results[index];
  }

  void meet(uint32_t number) {
    if (stages_.flow(number).kind == BatchFlow::Kind::statistics) return add_statistics(number);
    Expr sum = wide(body_.add_like(graph().nodes()[number], operands_of(number))[0]);
    Expr before = carried(sum.type());
    carries_.back().next = before + sum;
  }

  Expr carried(const Type& type) {
    Expr start = full(outer_.build, type, 0);
    carries_.push_back({start, {}});
    return input(Given::carry, start, type);
  }

  // Mean and variance of the samples so far and of the part, by the share that the part has.
  void add_statistics(uint32_t number) {
    const Node& node = graph().nodes()[number];
    Expr x = operands_of(number)[0], valid = uniform(node.operands[1]);
    Expr left = valid - number_of_samples_before();
    Expr real = minimum(maximum(left, 0), static_cast<double>(samples_));
    BatchNormStatistics part = batch_norm_statistics(x, real, node.attrs.integer("axis"));
    Expr part_mean = wide(part.mean), part_variance = wide(part.variance);
    Expr mean = carried(part_mean.type()), variance = carried(part_variance.type());
    Expr count = this->count(real, mean.dtype());
    Expr share = convert(real, mean.dtype()) / count;
    Expr delta = part_mean - mean;
    carries_[carries_.size() - 2].next = mean + delta * share;
    carries_.back().next =
        variance + (part_variance - variance) * share + delta * delta * (share * (1 - share));
  }

  Expr number_of_samples_before() { return number() * static_cast<double>(samples_); }

  // The real samples up to the end of the part, at least 1.
  Expr count(Expr real, DType dtype) {
    Expr before = number_of_samples_before();
    return maximum(convert(before + real, dtype), 1);
  }

  // --- the scan ---

  Exprs scanned(const std::vector<Value>& stored) {
    for (size_t i = 0; i < carries_.size(); ++i)
      body_.output(fmt::format("carry {}", i), carries_[i].next);
    for (Value value : stored) body_.output(fmt::format("stored {}", value.node), cut_.at(value));
    outer_.build.set_scope(body_.scope());
    Graph body = in_the_order_of_a_scan(body_.finish());
    return scan(body,
                {.constants = of_kind(Given::constant),
                 .carries = of_kind(Given::carry),
                 .sequences = of_kind(Given::element)},
                parts_);
  }

  Exprs of_kind(Given kind) const {
    Exprs outer;
    for (const Input& input : inputs_)
      if (input.kind == kind) outer.push_back(input.outer);
    return outer;
  }

  Graph in_the_order_of_a_scan(const Graph& body) const {
    Builder build;
    Exprs inputs(inputs_.size());
    for (Given kind : {Given::constant, Given::carry, Given::element})
      for (size_t i = 0; i < inputs_.size(); ++i) {
        const Port& port = body.inputs()[i];
        if (inputs_[i].kind == kind)
          inputs[i] = build.input(port.name, body.type(port.value), port.role);
      }
    Exprs outputs = inline_graph(build, body, inputs);
    for (size_t i = 0; i < outputs.size(); ++i)
      build.output(body.outputs()[i].name, outputs[i], body.outputs()[i].role);
    return build.finish();
  }

  const MicrobatchStages& stages_;
  int64_t samples_, parts_;
  Outer& outer_;
  Builder body_;
  std::vector<Input> inputs_;  // of the body, in the order in which they were needed
  std::vector<Carry> carries_;
  Expr number_;
  std::map<Value, Expr> cut_, uniform_;
  std::map<std::pair<Value, int64_t>, Expr> parts_of_uniform_;  // by the axis they are cut along
};

class Rewriter {
 public:
  Rewriter(const MicrobatchStages& stages, int64_t samples, const std::set<Value>& kept)
      : stages_(stages), samples_(samples), works_(stages.work(kept)) {}

  Graph run() {
    outer_.uniform.resize(graph().nodes().size());
    for (const Port& port : graph().inputs()) add_input(port);
    for (int stage = 0; stage < stages_.count(); ++stage) {
      add_what_is_known_before(stage);
      Stage(stages_, samples_, outer_).run(works_[static_cast<size_t>(stage)], meetings(stage));
    }
    add_what_is_known_before(stages_.count());
    for (const Port& port : graph().outputs())
      outer_.build.output(port.name, whole(port.value), port.role);
    return outer_.build.finish();
  }

 private:
  const Graph& graph() const { return stages_.graph(); }

  void add_input(const Port& port) {
    outer_.build.set_scope(graph().node(port.value).scope);
    Expr input = outer_.build.input(port.name, graph().type(port.value), port.role);
    if (stages_.is_cut(port.value.node))
      outer_.whole[port.value] = input;
    else
      outer_.uniform[port.value.node] = {input};
  }

  bool is_meeting_of_parts(uint32_t number) const {
    return stages_.is_meeting(number) && stages_.flow(number).kind != BatchFlow::Kind::whole;
  }

  std::vector<uint32_t> meetings(int stage) const {
    std::vector<uint32_t> all;
    for (uint32_t number = 0; number < graph().nodes().size(); ++number)
      if (is_meeting_of_parts(number) && stages_.stage(number) == stage) all.push_back(number);
    return all;
  }

  void add_what_is_known_before(int stage) {
    for (uint32_t number = 0; number < graph().nodes().size(); ++number) {
      const Node& node = graph().nodes()[number];
      bool outside = !stages_.is_cut(number) && !is_meeting_of_parts(number);
      if (!outside || node.op == &input_op) continue;
      if (stages_.stage(number) + stages_.is_meeting(number) != stage) continue;
      Exprs operands;
      for (Value operand : node.operands) operands.push_back(whole(operand));
      outer_.uniform[number] = outer_.build.add_like(node, operands);
    }
  }

  Expr whole(Value value) const {
    return stages_.is_cut(value.node) ? outer_.whole.at(value)
                                      : outer_.uniform[value.node][value.index];
  }

  const MicrobatchStages& stages_;
  int64_t samples_;
  std::vector<MicrobatchStages::Work> works_;
  Outer outer_;
};

}  // namespace

Graph microbatch(const MicrobatchStages& stages, int64_t samples, const std::set<Value>& kept) {
  check(stages.samples() % samples == 0, "a batch is a multiple of its parts");
  return Rewriter(stages, samples, kept).run();
}

}  // namespace hornbeam
