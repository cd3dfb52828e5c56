// Rows of tables: embeddings and their gradients.
#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "ops/gradients.h"
#include "ops/ops.h"
#include "ops/reference.h"
#include "ops/rules.h"

namespace hornbeam {
namespace {

Shape rows_shape(const Shape& indices, const Shape& table) {
  std::vector<int64_t> extents = indices.extents();
  extents.insert(extents.end(), table.begin() + 1, table.end());
  return Shape(std::move(extents));
}

Types gather_type(const OpUse& use) {
  require_operands(use, 2);
  const Type &table = use.operands[0], &indices = use.operands[1];
  require_types(table.shape.rank() >= 1 && is_index(indices.dtype), [&] {
    return fmt::format("expected a table and int32 or int64 indices, received {} and {}",
                       to_string(table), to_string(indices));
  });
  return {{table.dtype, rows_shape(indices.shape, table.shape)}};
}

int64_t checked_index(const Node& node, const Tensor& indices, int64_t position, int64_t rows) {
  int64_t index = indices.dtype() == DType::int32
                      ? indices.values<int32_t>()[static_cast<size_t>(position)]
                      : indices.values<int64_t>()[static_cast<size_t>(position)];
  if (index < 0 || index >= rows) throw index_error(node, indices.shape(), position, index, rows);
  return index;
}

void gather_reference(const Node& node, std::span<const Tensor* const> x, std::span<Tensor> y) {
  int64_t rows = x[0]->shape()[0];
  size_t row_bytes = rows == 0 ? 0 : x[0]->bytes() / static_cast<size_t>(rows);
  for (int64_t i = 0; i < x[1]->elements(); ++i) {
    int64_t row = checked_index(node, *x[1], i, rows);
    std::memcpy(y[0].data() + static_cast<size_t>(i) * row_bytes,
                x[0]->data() + static_cast<size_t>(row) * row_bytes, row_bytes);
  }
}

Types scatter_type(const OpUse& use) {
  require_operands(use, 2);
  const Type &indices = use.operands[0], &updates = use.operands[1];
  int64_t rows = use.attrs.integer("rows"), rank = indices.shape.rank();
  bool fits = is_index(indices.dtype) && rows >= 0 && updates.shape.rank() >= rank &&
              updates.dtype != DType::boolean;
  for (int64_t axis = 0; fits && axis < rank; ++axis)
    fits = indices.shape[axis] == updates.shape[axis];
  require_types(fits, [&] {
    return fmt::format(
        "expected int32 or int64 indices with an update each, received {} "
        "and {}",
        to_string(indices), to_string(updates));
  });
  std::vector<int64_t> extents{rows};
  extents.insert(extents.end(), updates.shape.begin() + rank, updates.shape.end());
  return {{updates.dtype, Shape(std::move(extents))}};
}

template <class T>
void scatter_values(const Node& node, const Tensor& indices, const Tensor& updates, Tensor& y) {
  int64_t rows = y.shape()[0];
  size_t width =
      indices.elements() == 0 ? 0 : static_cast<size_t>(updates.elements() / indices.elements());
  std::vector<Wide<T>> totals(y.values<T>().size());
  for (int64_t i = 0; i < indices.elements(); ++i) {
    size_t row = static_cast<size_t>(checked_index(node, indices, i, rows));
    for (size_t j = 0; j < width; ++j)
      totals[row * width + j] += widen(updates.values<T>()[static_cast<size_t>(i) * width + j]);
  }
  for (size_t i = 0; i < totals.size(); ++i) y.values<T>()[i] = narrow<T>(totals[i]);
}

void scatter_reference(const Node& node, std::span<const Tensor* const> x, std::span<Tensor> y) {
  visit(x[1]->dtype(), [&]<class T>() { scatter_values<T>(node, *x[0], *x[1], y[0]); });
}

}  // namespace

Error index_error(const Node& node, const Shape& indices, int64_t position, int64_t index,
                  int64_t rows) {
  const int64_t in_a_sample = indices.rank() == 0 ? 1 : indices.elements() / indices[0];
  // What the processor makes of NaN and of numbers that no int32 can hold.
  const bool was_no_index = index == std::numeric_limits<int32_t>::min();
  return Error("H206", {.message = fmt::format(
                            "{} is outside a table of {} rows, in sample {} of the batch",
                            was_no_index ? "NaN or a huge number" : fmt::format("{}", index), rows,
                            position / in_a_sample),
                        .place = node.scope.empty() ? "" : "layer " + node.scope,
                        .help = fmt::format("indices run from 0 to {}", rows - 1)});
}

const OpDef gather_op{
    .name = "gather", .infer = gather_type, .reference = gather_reference, .gradient = [](Grad& g) {
      return Exprs{scatter(g.x[1], g.dy[0], g.x[0].shape()[0]), Expr{}};
    }};
const OpDef scatter_op{.name = "scatter",
                       .attrs = {{{"rows", AttrKind::integer}}},
                       .infer = scatter_type,
                       .reference = scatter_reference,
                       .gradient = [](Grad& g) {
                         return Exprs{Expr{}, gather(g.dy[0], g.x[0])};
                       }};

Expr gather(Expr table, Expr indices) { return table.builder->add(gather_op, {table, indices}); }

Expr scatter(Expr indices, Expr updates, int64_t rows) {
  return indices.builder->add(scatter_op, {indices, updates}, {{"rows", rows}});
}

}  // namespace hornbeam
