#include "compile/batch_axis.h"

#include <algorithm>

#include "ops/ops.h"

namespace hornbeam {
namespace {

using Kind = BatchFlow::Kind;
using Axis = std::optional<BatchAxis>;

// A node with what its rule may ask.
struct Samples {
  const Graph& graph;
  const Node& node;
  const BatchAxes& axes;  // of the operands
  int64_t count;

  const Integers& integers(std::string_view name) const { return node.attrs.integers(name); }
  const Shape& operand(size_t number) const { return graph.type(node.operands[number]).shape; }
  const Shape& result() const { return node.results[0].shape; }
};

BatchFlow whole() { return {}; }

BatchFlow each(BatchAxes operands, BatchAxis result, size_t results = 1) {
  return {Kind::each, std::move(operands), BatchAxes(results, result)};
}

BatchFlow summed(BatchAxes operands) { return {Kind::summed, std::move(operands), {}}; }

bool contains(const Integers& numbers, int64_t number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

int64_t place_of(const Integers& numbers, int64_t number) {
  return std::ranges::find(numbers, number) - numbers.begin();
}

int64_t entry(const Integers& numbers, int64_t axis) { return numbers[static_cast<size_t>(axis)]; }

// The axis that those operands share which have one.
Axis common_axis(const BatchAxes& axes) {
  Axis common;
  for (const Axis& axis : axes) {
    if (!axis) continue;
    if (common && *common != *axis) return {};
    common = axis;
  }
  return common;
}

// All operands and the result are cut along one axis.
BatchFlow alike(const Samples& s) {
  Axis axis = common_axis(s.axes);
  return axis ? each(BatchAxes(s.axes.size(), axis), *axis) : whole();
}

// The first `data` operands have samples along axis 0, as the result has; the others have none.
BatchFlow layer(const Samples& s, size_t data) {
  Axis axis = common_axis(s.axes);
  bool others = std::any_of(s.axes.begin() + static_cast<ptrdiff_t>(data), s.axes.end(),
                            [](const Axis& each) { return each.has_value(); });
  if (!axis || axis->axis != 0 || others) return whole();
  BatchAxes operands(s.axes.size());
  std::fill_n(operands.begin(), data, axis);
  return each(std::move(operands), *axis);
}

BatchFlow layer_of_one(const Samples& s) { return layer(s, 1); }
BatchFlow layer_of_two(const Samples& s) { return layer(s, 2); }

BatchFlow broadcast(const Samples& s) {
  BatchAxis axis = *s.axes[0];
  return each(s.axes, {entry(s.integers("dimensions"), axis.axis), axis.rows});
}

int64_t product_before(const Shape& shape, int64_t axis) {
  int64_t product = 1;
  for (int64_t i = 0; i < axis; ++i) product *= shape[i];
  return product;
}

// The samples lie along that axis of the result before which as many elements are.
BatchFlow reshape_flow(const Samples& s) {
  int64_t before = product_before(s.operand(0), s.axes[0]->axis);
  for (int64_t axis = 0; axis < s.result().rank(); ++axis)
    if (product_before(s.result(), axis) == before && s.result()[axis] % s.count == 0 &&
        s.result()[axis] > 0)
      return each(s.axes, {axis, s.result()[axis] / s.count});
  return whole();
}

BatchFlow transpose_flow(const Samples& s) {
  BatchAxis axis = *s.axes[0];
  return each(s.axes, {place_of(s.integers("permutation"), axis.axis), axis.rows});
}

BatchFlow reverse_flow(const Samples& s) {
  return contains(s.integers("dimensions"), s.axes[0]->axis) ? whole() : alike(s);
}

BatchFlow slice_flow(const Samples& s) {
  int64_t axis = s.axes[0]->axis;
  bool all = s.result()[axis] == s.operand(0)[axis];
  return all ? alike(s) : whole();
}

BatchFlow pad_flow(const Samples& s) {
  if (!s.axes[0] || s.axes[1]) return whole();
  int64_t axis = s.axes[0]->axis;
  bool untouched = true;
  for (const char* name : {"low", "high", "interior"})
    untouched &= entry(s.integers(name), axis) == 0;
  return untouched ? each(s.axes, *s.axes[0]) : whole();
}

BatchFlow concatenate_flow(const Samples& s) {
  Axis axis = common_axis(s.axes);
  return axis && axis->axis != s.node.attrs.integer("dimension") ? alike(s) : whole();
}

BatchFlow reduce_flow(const Samples& s) {
  const Integers& dimensions = s.integers("dimensions");
  BatchAxis axis = *s.axes[0];
  if (contains(dimensions, axis.axis))
    return s.node.attrs.text("kind") == "add" ? summed(s.axes) : whole();
  auto gone = std::ranges::count_if(dimensions, [&](int64_t each) { return each < axis.axis; });
  return each(s.axes, {axis.axis - gone, axis.rows});
}

// Along an axis of its own, which the result lacks or not.
BatchFlow argmax_flow(const Samples& s) {
  int64_t along = s.node.attrs.integer("axis");
  BatchAxis axis = *s.axes[0];
  if (axis.axis == along) return whole();
  return each(s.axes, {axis.axis - (along < axis.axis), axis.rows});
}

BatchFlow softmax_flow(const Samples& s) {
  return s.axes[0]->axis == s.node.attrs.integer("axis") ? whole() : alike(s);
}

BatchFlow loss_flow(const Samples& s) {
  Axis axis = common_axis(s.axes);
  return axis && axis->axis < s.result().rank() ? alike(s) : whole();
}

struct DotSide {
  const Integers &batching, &contracting;
  int64_t rank;

  // Its place among the axes that are neither batched nor contracted.
  int64_t free_place(int64_t axis) const {
    int64_t place = 0;
    for (int64_t i = 0; i < axis; ++i) place += !contains(batching, i) && !contains(contracting, i);
    return place;
  }
  int64_t free_axes() const {
    return rank - static_cast<int64_t>(batching.size() + contracting.size());
  }
};

BatchFlow dot_flow(const Samples& s) {
  DotSide lhs{s.integers("lhs_batching"), s.integers("lhs_contracting"), s.operand(0).rank()};
  DotSide rhs{s.integers("rhs_batching"), s.integers("rhs_contracting"), s.operand(1).rank()};
  bool left = s.axes[0].has_value();
  const DotSide &side = left ? lhs : rhs, &other = left ? rhs : lhs;
  BatchAxis axis = *s.axes[left ? 0 : 1];
  auto paired = [&](const Integers& own, const Integers& others) -> std::optional<BatchAxes> {
    BatchAxis partner{entry(others, place_of(own, axis.axis)), axis.rows};
    BatchAxes axes{left ? axis : partner, left ? partner : axis};
    bool fits = (!s.axes[0] || s.axes[0] == axes[0]) && (!s.axes[1] || s.axes[1] == axes[1]);
    return fits ? std::optional(axes) : std::nullopt;
  };
  if (contains(side.contracting, axis.axis)) {
    auto axes = paired(side.contracting, other.contracting);
    return axes ? summed(*axes) : whole();
  }
  if (contains(side.batching, axis.axis)) {
    auto axes = paired(side.batching, other.batching);
    return axes ? each(*axes, {place_of(side.batching, axis.axis), axis.rows}) : whole();
  }
  if (s.axes[0] && s.axes[1]) return whole();
  int64_t before = static_cast<int64_t>(lhs.batching.size()) + (left ? 0 : lhs.free_axes());
  return each(s.axes, {before + side.free_place(axis.axis), axis.rows});
}

BatchFlow kernel_gradient_flow(const Samples& s) {
  Axis axis = common_axis(s.axes);
  return axis && axis->axis == 0 ? summed({axis, axis}) : whole();
}

// "b01f_01io->b01f"
BatchFlow convolution_flow(const Samples& s) {
  const std::string& numbers = s.node.attrs.text("dimension_numbers");
  auto at = [&](size_t from, char letter) {
    return static_cast<int64_t>(numbers.find(letter, from) - from);
  };
  const size_t kernel = numbers.find('_') + 1, result = numbers.find("->") + 2;
  if (!s.axes[0] || s.node.attrs.integer("feature_group_count") != 1) return whole();
  BatchAxis axis = *s.axes[0];
  if (axis.axis == at(0, 'b') && !s.axes[1] && s.node.attrs.integer("batch_group_count") == 1)
    return each(s.axes, {at(result, 'b'), axis.rows});
  BatchAxis partner{at(kernel, 'i'), axis.rows};
  bool contracted = axis.axis == at(0, 'f') && (!s.axes[1] || *s.axes[1] == partner);
  return contracted ? summed({axis, partner}) : whole();
}

BatchFlow window_flow(const Samples& s) {
  Axis axis = common_axis({s.axes[0]});
  if (!axis || (s.node.op == &reduce_window_op && s.axes.size() > 1 && s.axes[1])) return whole();
  bool alone = entry(s.integers("window_dimensions"), axis->axis) == 1 &&
               entry(s.integers("window_strides"), axis->axis) == 1 &&
               entry(s.integers("padding_low"), axis->axis) == 0 &&
               entry(s.integers("padding_high"), axis->axis) == 0;
  return alone ? alike(s) : whole();
}

BatchFlow gather_flow(const Samples& s) { return s.axes[0] ? whole() : each(s.axes, *s.axes[1]); }

BatchFlow scatter_flow(const Samples& s) {
  Axis axis = common_axis(s.axes);
  return axis && axis->axis < s.operand(0).rank() ? summed({axis, axis}) : whole();
}

bool normalizes_samples(const Samples& s) { return s.node.attrs.integer("axis") == 0; }

BatchFlow inference_flow(const Samples& s) {
  return normalizes_samples(s) ? whole() : layer_of_one(s);
}

BatchFlow statistics_flow(const Samples& s) {
  bool first = s.axes[0] && *s.axes[0] == BatchAxis{} && !s.axes[1];
  return first && !normalizes_samples(s) ? BatchFlow{Kind::statistics, s.axes, {}} : whole();
}

struct Row {
  const OpDef* op;
  BatchFlow (*flow)(const Samples& samples);
};

const Row rows[] = {
    {&argmax_op, argmax_flow},
    {&average_pool_gradient_op, layer_of_one},
    {&average_pool_op, layer_of_one},
    {&batch_norm_inference_op, inference_flow},
    {&batch_norm_statistics_op, statistics_flow},
    {&binary_crossentropy_op, loss_flow},
    {&broadcast_in_dim_op, broadcast},
    {&categorical_crossentropy_op, loss_flow},
    {&concatenate_op, concatenate_flow},
    {&conv_input_gradient_op, layer_of_one},
    {&conv_kernel_gradient_op, kernel_gradient_flow},
    {&conv_op, layer_of_one},
    {&convolution_op, convolution_flow},
    {&dot_general_op, dot_flow},
    {&gather_op, gather_flow},
    {&log_softmax_op, softmax_flow},
    {&max_pool_gradient_op, layer_of_two},
    {&max_pool_op, layer_of_one},
    {&mean_absolute_error_op, loss_flow},
    {&mean_squared_error_op, loss_flow},
    {&optimization_barrier_op, alike},
    {&pad_op, pad_flow},
    {&reduce_op, reduce_flow},
    {&reduce_window_op, window_flow},
    {&reshape_op, reshape_flow},
    {&reverse_op, reverse_flow},
    {&scatter_op, scatter_flow},
    {&select_and_scatter_op, window_flow},
    {&slice_op, slice_flow},
    {&softmax_op, softmax_flow},
    {&sparse_categorical_crossentropy_op, loss_flow},
    {&transpose_op, transpose_flow},
};

}  // namespace

bool is_batch(const Graph& graph, const Port& input) {
  return input.role == Role::batch && graph.type(input.value).shape.rank() > 0;
}

int64_t samples_of(const Graph& graph) {
  for (const Port& port : graph.inputs())
    if (is_batch(graph, port)) return graph.type(port.value).shape[0];
  return 0;
}

BatchFlow batch_flow(const Graph& graph, const Node& node, const BatchAxes& operands,
                     int64_t samples) {
  Samples all{graph, node, operands, samples};
  if (node.op->op_class == OpClass::elementwise) return alike(all);
  for (const Row& row : rows)
    if (row.op == node.op) return row.flow(all);
  return whole();
}

Attrs attrs_for(const Node& node, BatchAxis axis, int64_t samples) {
  std::vector<Attr> attrs(node.attrs.begin(), node.attrs.end());
  for (Attr& attr : attrs)
    if (attr.name == "shape" || attr.name == "input_shape" || attr.name == "limits")
      std::get<Integers>(attr.value)[static_cast<size_t>(axis.axis)] = axis.rows * samples;
  return Attrs(std::move(attrs));
}

}  // namespace hornbeam
