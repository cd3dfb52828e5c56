// OpDef: one constant record of all that is true of an operation on any hardware.
//
// Ops are found by the address of their record; there is no enum and no registration at start-up.
// A core op has a `reference`; a composite has an `expand` into smaller ops. Either may have a
// `gradient`. ops/all.cpp lists every record.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/tensor.h"
#include "ir/attrs.h"
#include "ir/type.h"

namespace hornbeam {

class Builder;
class Graph;
struct Expr;
struct Grad;
struct Node;

using Exprs = std::vector<Expr>;
using Bodies = std::vector<std::shared_ptr<const Graph>>;

// What a type rule sees.
struct OpUse {
  std::span<const Type> operands;
  const Attrs& attrs;
  const Bodies& bodies;
};

// How the elements of the results depend on those of the operands.
enum class OpClass {
  elementwise,  // element i of the result on element i of each operand; all of one shape
  structural,   // moves, repeats or drops elements, computes nothing: reshape, slice, …
  other,
};

struct OpDef {
  std::string_view name;
  OpClass op_class = OpClass::other;
  std::array<AttrSpec, 10> attrs{};  // ends at the first empty name
  int bodies = 0;                    // graphs a node of this op contains

  // Result types; throws H701 when the operands or attributes do not fit.
  Types (*infer)(const OpUse& use) = nullptr;
  // Computes the results on the host by plain loops; `results` are zero-filled tensors of the
  // inferred types. The oracle for every backend.
  void (*reference)(const Node& node, std::span<const Tensor* const> operands,
                    std::span<Tensor> results) = nullptr;
  // The same meaning in smaller ops.
  Exprs (*expand)(Builder& build, const Node& node, std::span<const Expr> operands) = nullptr;
  // One gradient for each operand; an empty Expr where none flows (integers, indices).
  Exprs (*gradient)(Grad& grad) = nullptr;
};

std::span<const AttrSpec> attr_specs(const OpDef& op);

}  // namespace hornbeam
