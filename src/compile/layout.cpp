#include "compile/layout.h"

#include <algorithm>

#include "ir/builder.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

// --- permutations ---

bool is_identity(const Integers& permutation) {
  for (size_t i = 0; i < permutation.size(); ++i)
    if (permutation[i] != static_cast<int64_t>(i)) return false;
  return true;
}

Integers inverse(const Integers& permutation) {
  Integers result(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i)
    result[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  return result;
}

Integers permuted(const Integers& values, const Integers& permutation) {
  Integers result;
  for (int64_t axis : permutation) result.push_back(values[static_cast<size_t>(axis)]);
  return result;
}

// Moves `axis` behind all others.
Integers axis_last(int64_t axis, int64_t rank) {
  Integers permutation;
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis) permutation.push_back(i);
  permutation.push_back(axis);
  return permutation;
}

const Node& node_of(Expr x) { return x.builder->graph().node(x.value); }

bool is_transpose(Expr x) { return node_of(x).op == &transpose_op; }

// transpose(x), as one transpose or none when x is a transpose itself.
Expr transposed(Expr x, const Integers& permutation) {
  if (is_identity(permutation)) return x;
  if (!is_transpose(x)) return transpose(x, permutation);
  Integers both = permuted(node_of(x).attrs.integers("permutation"), permutation);
  Expr origin{x.builder, node_of(x).operands[0]};
  return is_identity(both) ? origin : transpose(origin, both);
}

Attrs with(const Attrs& attrs, std::string_view name, AttrValue value) {
  std::vector<Attr> changed(attrs.begin(), attrs.end());
  for (Attr& attr : changed)
    if (attr.name == name) attr.value = value;
  return Attrs(std::move(changed));
}

// --- ops on pictures ---

struct PictureOp {
  const OpDef* op;
  std::vector<size_t> pictures;  // which operands are
  bool makes_picture;            // whether result 0 is
};

const PictureOp* picture_op(const OpDef* op) {
  static const std::vector<PictureOp> all{
      {&conv_op, {0}, true},
      {&conv_input_gradient_op, {0}, true},
      {&conv_kernel_gradient_op, {0, 1}, false},
      {&max_pool_op, {0}, true},
      {&max_pool_gradient_op, {0, 1}, true},
      {&average_pool_op, {0}, true},
      {&average_pool_gradient_op, {0}, true},
      {&batch_norm_training_op, {0}, true},
      {&batch_norm_statistics_op, {0}, false},
      {&batch_norm_inference_op, {0}, true},
      {&batch_norm_gradient_op, {0, 5}, true},
  };
  auto found = std::find_if(all.begin(), all.end(), [&](const PictureOp& p) { return p.op == op; });
  return found == all.end() ? nullptr : &*found;
}

// The axis of the channels, by attribute data_format or axis.
int64_t channel_axis(const Node& node, int64_t rank) {
  if (node.attrs.find("axis") != nullptr) return node.attrs.integer("axis");
  return node.attrs.text("data_format") == "channels_first" ? 1 : rank - 1;
}

Attrs channels_last_attrs(const Node& node, const Integers& permutation) {
  int64_t last = static_cast<int64_t>(permutation.size()) - 1;
  if (node.attrs.find("axis") != nullptr) return with(node.attrs, "axis", last);
  Attrs attrs = with(node.attrs, "data_format", std::string("channels_last"));
  if (attrs.find("input_shape") == nullptr) return attrs;
  return with(attrs, "input_shape", permuted(attrs.integers("input_shape"), permutation));
}

Exprs on_channels_last(Builder& build, const Node& node, std::span<const Expr> operands,
                       const PictureOp& kind) {
  int64_t rank = operands[0].rank();
  Integers permutation = axis_last(channel_axis(node, rank), rank);
  if (is_identity(permutation)) return build.add_like(node, operands);
  Exprs moved(operands.begin(), operands.end());
  for (size_t picture : kind.pictures) moved[picture] = transposed(moved[picture], permutation);
  Exprs results = build.add_all(*node.op, moved, channels_last_attrs(node, permutation));
  if (kind.makes_picture) results[0] = transposed(results[0], inverse(permutation));
  return results;
}

// --- transposes move on ---

// An operand seen before the transpose; empty when that would cost a transpose.
Expr before_transpose(Expr x, const Integers& permutation) {
  const Node& node = node_of(x);
  if (node.op == &transpose_op && node.attrs.integers("permutation") == permutation)
    return {x.builder, node.operands[0]};
  if (node.op != &broadcast_in_dim_op) return {};
  Shape shape(permuted(x.shape().extents(), inverse(permutation)));
  Integers dimensions = permuted(permutation, node.attrs.integers("dimensions"));
  return broadcast_in_dim({x.builder, node.operands[0]}, shape, dimensions);
}

Exprs behind_elementwise(Builder& build, const Node& node, std::span<const Expr> operands,
                         const Integers& permutation) {
  Exprs moved;
  for (Expr operand : operands) {
    moved.push_back(before_transpose(operand, permutation));
    if (!moved.back()) return {};
  }
  return {transposed(build.add(*node.op, moved, node.attrs), permutation)};
}

// pad, slice: attributes by axis; a padding value follows as it is.
Exprs behind_by_axis(Builder& build, const Node& node, std::span<const Expr> operands,
                     const Integers& permutation) {
  Exprs moved(operands.begin(), operands.end());
  moved[0] = before_transpose(operands[0], permutation);
  Attrs attrs = node.attrs;
  for (const Attr& attr : node.attrs)
    attrs = with(attrs, attr.name, permuted(std::get<Integers>(attr.value), inverse(permutation)));
  return {transposed(build.add(*node.op, moved, std::move(attrs)), permutation)};
}

Exprs behind_concatenate(Builder& build, const Node& node, std::span<const Expr> operands,
                         const Integers& permutation) {
  Exprs moved;
  for (Expr operand : operands) {
    moved.push_back(before_transpose(operand, permutation));
    if (!moved.back()) return {};
  }
  int64_t axis = permutation[static_cast<size_t>(node.attrs.integer("dimension"))];
  Expr joined = build.add(*node.op, moved, with(node.attrs, "dimension", axis));
  return {transposed(joined, permutation)};
}

Exprs into_reduce(Builder& build, const Node& node, std::span<const Expr> operands,
                  const Integers& permutation) {
  const Integers& reduced = node.attrs.integers("dimensions");
  Integers axes, kept;
  for (size_t axis = 0; axis < permutation.size(); ++axis) {
    bool is_reduced =
        std::find(reduced.begin(), reduced.end(), static_cast<int64_t>(axis)) != reduced.end();
    (is_reduced ? axes : kept).push_back(permutation[axis]);
  }
  if (!std::is_sorted(kept.begin(), kept.end())) return {};
  std::sort(axes.begin(), axes.end());
  Exprs moved{before_transpose(operands[0], permutation)};
  return {build.add(*node.op, moved, with(node.attrs, "dimensions", axes))};
}

Exprs behind(Builder& build, const Node& node, std::span<const Expr> operands) {
  auto found = std::find_if(operands.begin(), operands.end(), is_transpose);
  if (found == operands.end()) return {};
  Integers permutation = node_of(*found).attrs.integers("permutation");
  if (node.op->op_class == OpClass::elementwise)
    return behind_elementwise(build, node, operands, permutation);
  if (node.op == &concatenate_op) return behind_concatenate(build, node, operands, permutation);
  if (found != operands.begin()) return {};
  if (node.op == &pad_op || node.op == &slice_op)
    return behind_by_axis(build, node, operands, permutation);
  if (node.op == &reduce_op) return into_reduce(build, node, operands, permutation);
  if (node.op == &transpose_op)
    return {transposed(operands[0], node.attrs.integers("permutation"))};
  return {};
}

Exprs rewrite(Builder& build, const Node& node, std::span<const Expr> operands) {
  if (const PictureOp* kind = picture_op(node.op))
    return on_channels_last(build, node, operands, *kind);
  Exprs moved = behind(build, node, operands);
  return moved.empty() ? build.add_like(node, operands) : moved;
}

}  // namespace

Graph channels_last(const Graph& graph) { return rewrite_graph(graph, rewrite); }

}  // namespace hornbeam
