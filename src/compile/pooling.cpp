#include "compile/pooling.h"

#include <algorithm>
#include <map>

#include "ir/builder.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

// Windows side by side, without padding, that cover pictures (batch, spatial…, channels) exactly.
bool is_tiling(const Node& node, const Shape& picture, int64_t fewest_channels) {
  const Integers& window = node.attrs.integers("window");
  auto all_zero = [&](const char* name) {
    const Integers& padding = node.attrs.integers(name);
    return std::all_of(padding.begin(), padding.end(), [](int64_t cells) { return cells == 0; });
  };
  for (size_t i = 0; i < window.size(); ++i)
    if (picture[static_cast<int64_t>(i) + 1] % window[i] != 0) return false;
  return node.attrs.text("data_format") == "channels_last" && picture.elements() > 0 &&
         picture[picture.rank() - 1] >= fewest_channels &&
         node.attrs.integers("strides") == window && all_zero("padding_low") &&
         all_zero("padding_high");
}

class Rewriter {
 public:
  Rewriter(const Graph& graph, int64_t fewest_channels)
      : graph_(graph),
        fewest_channels_(fewest_channels),
        only_arithmetic_(graph.nodes().size(), 1) {
    for (const Node& node : graph.nodes())
      if (node.op->op_class != OpClass::elementwise && node.op != &average_pool_op)
        for (Value operand : node.operands) only_arithmetic_[operand.node] = 0;
    for (const Port& output : graph.outputs()) only_arithmetic_[output.value.node] = 0;
  }

  Graph run() {
    return rewrite_graph(graph_,
                         [&](Builder& build, const Node& node, std::span<const Expr> operands) {
                           for (size_t i = 0; i < operands.size(); ++i)
                             copies_[node.operands[i]] = operands[i];
                           return rewritten(build, node, operands);
                         });
  }

 private:
  Exprs rewritten(Builder& build, const Node& node, std::span<const Expr> operands) {
    if (node.op == &average_pool_op && is_tiling(node, operands[0].shape(), fewest_channels_))
      return {mean_of_cells(build, node)};
    if (node.op == &average_pool_gradient_op &&
        is_tiling(node, node.results[0].shape, fewest_channels_))
      return {spread(build, node, operands[0])};
    return build.add_like(node, operands);
  }

  // The cell of every window at one place of it, as a slice of a picture.
  struct Cell {
    Integers place;
    const Integers& window;
    Shape pooled;
    std::map<Value, Expr> made = {};
  };

  Expr mean_of_cells(Builder& build, const Node& node) {
    const Integers& window = node.attrs.integers("window");
    build.set_scope(node.scope);
    Cell cell{Integers(window.size(), 0), window, node.results[0].shape};
    Expr total;
    for (int64_t number = 0; number < Shape(window).elements(); ++number) {
      int64_t rest = number;
      for (size_t axis = window.size(); axis-- > 0; rest /= window[axis])
        cell.place[axis] = rest % window[axis];
      cell.made.clear();
      Expr part = cell_of(build, cell, node.operands[0]);
      total = total ? total + part : part;
    }
    return total / static_cast<double>(Shape(window).elements());
  }

  // What is elementwise is computed for the cell alone, from cells of its operands.
  Expr cell_of(Builder& build, Cell& cell, Value value) {
    if (auto found = cell.made.find(value); found != cell.made.end()) return found->second;
    const Node& node = graph_.node(value);
    Expr made;
    if (node.op == &broadcast_in_dim_op && repeats_over_space(node)) {
      made = broadcast_in_dim(copies_.at(node.operands[0]), cell.pooled,
                              node.attrs.integers("dimensions"));
    } else if (node.op->op_class == OpClass::elementwise && only_arithmetic_[value.node]) {
      Exprs operands;
      for (Value operand : node.operands) operands.push_back(cell_of(build, cell, operand));
      made = build.add_like(node, operands)[0];
    } else {
      made = slice_of(copies_.at(value), cell);
    }
    return cell.made[value] = made;
  }

  static bool repeats_over_space(const Node& node) {
    const Integers& dimensions = node.attrs.integers("dimensions");
    int64_t last = node.results[0].shape.rank() - 1;
    return std::all_of(dimensions.begin(), dimensions.end(),
                       [&](int64_t axis) { return axis == 0 || axis == last; });
  }

  static Expr slice_of(Expr picture, const Cell& cell) {
    Integers starts(static_cast<size_t>(picture.rank()), 0), strides(starts.size(), 1);
    for (size_t axis = 0; axis < cell.window.size(); ++axis) {
      starts[axis + 1] = cell.place[axis];
      strides[axis + 1] = cell.window[axis];
    }
    return slice(picture, starts, picture.shape().extents(), strides);
  }

  // Each cell gets an equal share.
  static Expr spread(Builder& build, const Node& node, Expr dy) {
    const Integers& window = node.attrs.integers("window");
    build.set_scope(node.scope);
    Integers extents{dy.shape()[0]}, dimensions{0};
    for (size_t axis = 0; axis < window.size(); ++axis) {
      dimensions.push_back(static_cast<int64_t>(extents.size()));
      extents.push_back(dy.shape()[static_cast<int64_t>(axis) + 1]);
      extents.push_back(window[axis]);
    }
    dimensions.push_back(static_cast<int64_t>(extents.size()));
    extents.push_back(dy.shape()[dy.rank() - 1]);
    Expr repeated = broadcast_in_dim(dy, Shape(extents), dimensions);
    return reshape(repeated, node.results[0].shape) / static_cast<double>(Shape(window).elements());
  }

  const Graph& graph_;
  int64_t fewest_channels_;
  std::vector<char> only_arithmetic_;  // by node: used by nothing but pooling and elementwise ops
  std::map<Value, Expr> copies_;       // of values of the old graph that something reads
};

}  // namespace

Graph pooling_as_arithmetic(const Graph& graph, int64_t fewest_channels) {
  return Rewriter(graph, fewest_channels).run();
}

}  // namespace hornbeam
