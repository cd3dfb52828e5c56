// Constants and counting.
#include <fmt/format.h>

#include "ops/ops.h"
#include "ops/reference.h"
#include "ops/rules.h"

namespace hornbeam {
namespace {

Types iota_type(const OpUse& use) {
  require_operands(use, 0);
  Type type{dtype_from_name(use.attrs.text("dtype")), Shape(use.attrs.integers("shape"))};
  int64_t dimension = use.attrs.integer("dimension");
  require_types(dimension >= 0 && dimension < type.shape.rank(), [&] {
    return fmt::format("expected a dimension of {}, received {}", to_string(type), dimension);
  });
  require_types(type.dtype != DType::boolean, "expected numbers, received bool");
  type.shape.elements();
  return {type};
}

void iota_reference(const Node& node, std::span<const Tensor* const>, std::span<Tensor> y) {
  size_t dimension = static_cast<size_t>(node.attrs.integer("dimension"));
  Walk walk(y[0].shape(), {});
  visit(y[0].dtype(), [&]<class T>() {
    for (T& value : y[0].values<T>()) {
      value = narrow<T>(static_cast<Wide<T>>(walk.index()[dimension]));
      walk.next();
    }
  });
}

}  // namespace

const OpDef iota_op{.name = "iota",
                    .attrs = {{{"dtype", AttrKind::text},
                               {"shape", AttrKind::integers},
                               {"dimension", AttrKind::integer}}},
                    .infer = iota_type,
                    .reference = iota_reference};

Expr constant(Builder& build, Tensor value) { return build.constant(std::move(value)); }

Expr scalar(Builder& build, DType dtype, double value) {
  return build.constant(Tensor::scalar(value).converted(dtype));
}

Expr full(Builder& build, const Type& type, double value) {
  return broadcast_to(scalar(build, type.dtype, value), type.shape);
}

Expr full_like(Expr x, double value) { return full(*x.builder, Type(x.type()), value); }

Expr iota(Builder& build, const Type& type, int64_t dimension) {
  return build.add(iota_op, {},
                   {{"dtype", std::string(name_of(type.dtype))},
                    {"shape", type.shape.extents()},
                    {"dimension", dimension}});
}

}  // namespace hornbeam
