#include "compile/widen.h"

#include <algorithm>

#include "ir/builder.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

bool is_bfloat16(const Type& type) { return type.dtype == DType::bfloat16; }

Type wide_type(Type type) {
  if (is_bfloat16(type)) type.dtype = DType::float32;
  return type;
}

// Constants become wide themselves, so that rules and kernels see the numbers.
Expr wide(Expr x) {
  if (!is_bfloat16(x.type())) return x;
  const Node& node = x.builder->graph().node(x.value);
  if (node.op == &constant_op)
    return x.builder->constant(node.attrs.tensor("value").converted(DType::float32));
  if (node.op == &broadcast_in_dim_op) {
    Integers dimensions = node.attrs.integers("dimensions");
    Expr source = wide({x.builder, node.operands[0]});
    return broadcast_in_dim(source, Shape(x.shape()), dimensions);
  }
  return convert(x, DType::float32);
}

// What moves, chooses or contains elements computes nothing itself.
bool computes(const Node& node) {
  return node.op->op_class != OpClass::structural && node.op != &select_op &&
         node.op != &constant_op && node.bodies.empty();
}

bool touches_bfloat16(const Node& node, std::span<const Expr> operands) {
  return std::ranges::any_of(node.results, is_bfloat16) ||
         std::ranges::any_of(operands, [](const Expr& x) { return is_bfloat16(x.type()); });
}

Exprs widened(Builder& build, const Node& node, std::span<const Expr> operands) {
  // To and from float32 it is the one conversion there is.
  if (node.op == &convert_op)
    return {convert(convert(operands[0], DType::float32), node.results[0].dtype)};
  Exprs given;
  for (const Expr& operand : operands) given.push_back(wide(operand));
  Exprs results = build.add_like(node, given);
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = convert(results[i], node.results[i].dtype);
  return results;
}

}  // namespace

Graph widen_bfloat16(const Graph& graph) {
  BodyRewrite bodies(widen_bfloat16);
  return rewrite_graph(
      graph, [&](Builder& build, const Node& node, std::span<const Expr> operands) -> Exprs {
        if (computes(node) && touches_bfloat16(node, operands))
          return widened(build, node, operands);
        return build.add_all(*node.op, operands, node.attrs, bodies(node.bodies));
      });
}

Claims claims_when_widened(Claims claims) {
  return [claims = std::move(claims)](const Node& node, const Types& operands) {
    if (std::ranges::none_of(operands, is_bfloat16)) return claims(node, operands);
    Builder build;
    Exprs given;
    Types types;
    for (const Type& operand : operands) {
      types.push_back(wide_type(operand));
      given.push_back(build.input("x", types.back()));
    }
    Expr result = build.add_all(*node.op, given, node.attrs, node.bodies)[0];
    return claims(build.graph().node(result.value), types);
  };
}

}  // namespace hornbeam
