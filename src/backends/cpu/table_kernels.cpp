// Rows of float32 tables by index. An index outside the table is an error when run (H206).
#include "backends/cpu/kernels/gather.h"
#include "backends/cpu/plans.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

// What the error about an index names.
struct Indices {
  Node node;
  Shape shape;
  int64_t rows;

  template <class Index>
  void require_inside(const Index* indices) const {
    int64_t bad = first_bad_index(indices, shape.elements(), rows);
    if (bad >= 0) throw index_error(node, shape, bad, static_cast<int64_t>(indices[bad]), rows);
  }
};

RowTable table_of(const Type& type) {
  int64_t rows = type.shape[0];
  return {rows, rows == 0 ? 0 : type.shape.elements() / rows};
}

template <class Index>
Planned plan_gather_by(const KernelRequest& request) {
  RowTable table = table_of(request.operand(0));
  Indices checked{request.node, request.operand(1).shape, table.rows};
  int64_t count = checked.shape.elements();
  // Reads the rows it writes, not the table.
  const int64_t bytes = request.operand(1).bytes() + 2 * request.result().bytes();
  return KernelPlan{.memory = {},
                    .cost = {.bytes = static_cast<double>(bytes)},
                    .run = [=](const KernelArguments& on) {
                      auto indices = on.operand<Index>(1);
                      checked.require_inside(indices);
                      gather_rows(table, on.operand<float>(0), indices, count, on.result<float>(),
                                  on.threads);
                    }};
}

template <class Index>
Planned plan_scatter_by(const KernelRequest& request) {
  RowTable table = table_of(request.result());
  Indices checked{request.node, request.operand(0).shape, table.rows};
  int64_t count = checked.shape.elements();
  int64_t elements = request.result().shape.elements();
  // Every row that is added is read and written in the table, too.
  const double added = static_cast<double>(request.operand(1).shape.elements());
  return KernelPlan{.memory = {},
                    .cost = {.operations = added, .bytes = bytes_once(request) + 8 * added},
                    .run = [=](const KernelArguments& on) {
                      auto indices = on.operand<Index>(0);
                      checked.require_inside(indices);
                      std::fill_n(on.result<float>(), elements, 0.0f);
                      scatter_add_rows(table, on.operand<float>(1), indices, count,
                                       on.result<float>(), on.threads);
                    }};
}

}  // namespace

Planned plan_gather(const KernelRequest& request, const CpuInfo&) {
  if (request.result().dtype != DType::float32) return Refusal{"not float32"};
  return request.operand(1).dtype == DType::int32 ? plan_gather_by<int32_t>(request)
                                                  : plan_gather_by<int64_t>(request);
}

Planned plan_scatter(const KernelRequest& request, const CpuInfo&) {
  if (request.result().dtype != DType::float32) return Refusal{"not float32"};
  return request.operand(0).dtype == DType::int32 ? plan_scatter_by<int32_t>(request)
                                                  : plan_scatter_by<int64_t>(request);
}

}  // namespace hornbeam
