// gradients() on small graphs, by hand.
#include "ops/gradients.h"

#include <gtest/gtest.h>

#include "ir/interpret.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

using Floats = std::vector<float>;

Tensor row(const Floats& values) {
  return Tensor::of<float>({std::ssize(values)}, std::span<const float>(values));
}

class Gradients : public testing::Test {
 protected:
  Expr input(const std::string& name, DType dtype = DType::float32) {
    return build.input(name, {dtype, {2}});
  }

  // The gradients of the sum of y, for inputs x, at these values of all inputs.
  std::vector<Floats> at(Expr y, const Exprs& x, const std::vector<Tensor>& values) {
    Exprs found = gradients(sum_all(y), x);
    for (size_t i = 0; i < found.size(); ++i) build.output("g" + std::to_string(i), found[i]);
    std::vector<Floats> all;
    for (const Tensor& tensor : interpret(build.finish(), values))
      all.emplace_back(tensor.values<float>().begin(), tensor.values<float>().end());
    return all;
  }

  Builder build{true};
};

// d(a * a * b) = (2 a b, a a)
TEST_F(Gradients, AddUpOverAllUses) {
  Expr a = input("a"), b = input("b");
  Expr square = a * a;
  auto g = at(square * b, {a, b}, {row({2, 3}), row({5, 7})});
  EXPECT_EQ(g[0], (Floats{20, 42}));
  EXPECT_EQ(g[1], (Floats{4, 9}));
}

TEST_F(Gradients, AreZeroWhereNothingIsReached) {
  Expr a = input("a"), b = input("b");
  auto g = at(a * 3, {a, b}, {row({1, 2}), row({1, 2})});
  EXPECT_EQ(g[0], (Floats{3, 3}));
  EXPECT_EQ(g[1], (Floats{0, 0}));
}

// Through an integer nothing flows; rounding has slope 0 as in JAX.
TEST_F(Gradients, EndAtIntegers) {
  Expr a = input("a");
  Expr whole = convert(convert(a, DType::int32), DType::float32);
  auto g = at(a * whole, {a}, {row({2.5, 3.5})});
  EXPECT_EQ(g[0], (Floats{2, 3}));
}

// Gradients of gradients: d/da of 3 a a is 6 a.
TEST_F(Gradients, CanBeTakenOfGradients) {
  Expr a = input("a");
  Expr slope = gradients(sum_all(a * a * a), Exprs{a})[0];
  EXPECT_EQ(at(slope, {a}, {row({1, 2})})[0], (Floats{6, 12}));
}

TEST_F(Gradients, TakeASeed) {
  Expr a = input("a");
  Expr seed = constant(build, row({10, 100}));
  build.output("g", gradients(a * a, Exprs{a}, seed)[0]);
  Tensor g = std::move(interpret(build.finish(), std::vector<Tensor>{row({1, 2})})[0]);
  EXPECT_EQ(Floats(g.values<float>().begin(), g.values<float>().end()), (Floats{20, 400}));
}

// Long chains must not be walked by recursion.
TEST_F(Gradients, GoThroughVeryLongChains) {
  Expr a = input("a"), y = a;
  for (int i = 0; i < 20000; ++i) y = y + a;
  EXPECT_EQ(at(y, {a}, {row({1, 2})})[0], (Floats{20001, 20001}));
}

}  // namespace
}  // namespace hornbeam
