// Random numbers from counters and keys (base/rng.h).
#include <fmt/format.h>

#include "base/rng.h"
#include "ops/ops.h"
#include "ops/rules.h"

namespace hornbeam {
namespace {

const Type key_type{DType::int64, {}};

Types random_bits_type(const OpUse& use) {
  require_operands(use, 2);
  require_types(use.operands[0] == key_type && use.operands[1] == key_type, [&] {
    return fmt::format("expected two int64 scalars, received {} and {}", to_string(use.operands[0]),
                       to_string(use.operands[1]));
  });
  Shape shape(use.attrs.integers("shape"));
  shape.elements();
  return {{DType::int32, shape}};
}

void random_bits_reference(const Node&, std::span<const Tensor* const> x, std::span<Tensor> y) {
  uint64_t key = static_cast<uint64_t>(x[0]->values<int64_t>()[0]);
  uint64_t counter = static_cast<uint64_t>(x[1]->values<int64_t>()[0]);
  auto words = y[0].values<int32_t>();
  for (size_t i = 0; i < words.size(); ++i) {
    uint64_t bits = threefry(key, counter + i / 2);
    words[i] = static_cast<int32_t>(i % 2 == 0 ? bits : bits >> 32);
  }
}

Expr int64_scalar(Builder& build, int64_t value) { return build.constant(Tensor::scalar(value)); }

}  // namespace

const OpDef random_bits_op{.name = "random_bits",
                           .attrs = {{{"shape", AttrKind::integers}}},
                           .infer = random_bits_type,
                           .reference = random_bits_reference};

Expr random_bits(Expr key, Expr counter, const Shape& shape) {
  return key.builder->add(random_bits_op, {key, counter}, {{"shape", shape.extents()}});
}

Expr fold_in(Expr key, Expr data) {
  Builder& build = *key.builder;
  Expr words = convert(random_bits(key, data, {2}), DType::int64);
  Expr low = reshape(slice(words, {0}, {1}, {1}), {}),
       high = reshape(slice(words, {1}, {2}, {1}), {});
  return bitwise_or(shift_left(high, int64_scalar(build, 32)),
                    bitwise_and(low, int64_scalar(build, 0xffffffff)));
}

Expr random_uniform(Expr key, const Shape& shape) {
  Builder& build = *key.builder;
  Expr bits = random_bits(key, int64_scalar(build, 0), shape);
  Expr upper = shift_right_logical(bits, build.constant(Tensor::scalar(int32_t{8})));
  return convert(upper, DType::float32) * 0x1p-24;
}

}  // namespace hornbeam
