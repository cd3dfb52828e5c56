// Loops.
#include "ops/cases/families.h"

namespace hornbeam::op_cases {
namespace {

// (carry, each) -> (carry * each, carry + each)
Graph product_and_sum(const Type& type) {
  Builder build;
  Expr carry = build.input("carry", type), each = build.input("each", type);
  build.output("carry", carry * each);
  build.output("sum", carry + each);
  return build.finish();
}

Exprs scanned(Inputs x, bool reverse) {
  return scan(product_and_sum(x[0].type()),
              {.carries = x.subspan(0, 1), .sequences = x.subspan(1, 1)}, 3, reverse);
}

// (constant, carry, each) -> (carry * constant + each, each * constant)
Exprs scanned_with_a_constant(Inputs x) {
  Builder build;
  Expr constant = build.input("constant", x[0].type()), carry = build.input("carry", x[1].type());
  Expr each = build.input("each", x[1].type());
  build.output("carry", carry * constant + each);
  build.output("product", each * constant);
  return scan(build.finish(),
              {.constants = x.subspan(0, 1), .carries = x.subspan(1, 1), .sequences = x.subspan(2)},
              3);
}

// Doubles the second value as long as the first, which counts, is below 5.
Exprs doubled(Inputs x) {
  Builder condition, body;
  Expr count = condition.input("count", x[0].type());
  condition.input("value", x[1].type());
  condition.output("more", compare(count, "LT", 5));
  Expr before = body.input("count", x[0].type()), value = body.input("value", x[1].type());
  body.output("count", before + 1);
  body.output("value", value * 2);
  return while_loop(condition.finish(), body.finish(), x);
}

const OpCase cases[] = {
    {"scan", [](Inputs x) { return scanned(x, false); }},
    {"scan_reverse", [](Inputs x) { return scanned(x, true); }},
    {"scan_with_a_constant", scanned_with_a_constant},
    {"while", doubled},
};

}  // namespace

const Family control_family{"control", cases};

}  // namespace hornbeam::op_cases
