// Every kernel of the CPU backend against the interpreter, on shapes and numbers that make trouble:
// odd and empty sizes, negative padding, ±0, infinities, NaN.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "backends/backends.h"
#include "ir/interpret.h"
#include "ops/ops.h"
#include "run_on.h"

namespace hornbeam {
namespace {

struct OracleCase {
  std::string name;
  Types inputs;
  std::function<Expr(std::span<const Expr>)> build;
  double tolerance = 0;  // relative; 0 wants the same bits, but for the sign and payload of NaN
};

Tensor tricky(const Type& type, std::mt19937& random) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float special[] = {0.0f, -0.0f, 1.0f, infinity, -infinity, NAN, 1e-30f, -3e8f};
  std::normal_distribution<float> number;
  Tensor values(DType::float64, type.shape);
  for (double& value : values.values<double>())
    value = random() % 9 == 0 ? special[random() % 8] : number(random);
  if (is_floating(type.dtype)) return values.converted(type.dtype);
  for (double& value : values.values<double>()) value = static_cast<double>(random() % 5);
  return values.converted(type.dtype);
}

Tensor result_on_cpu(const Graph& graph, const std::vector<Tensor>& inputs) {
  auto backend = make_backend("cpu", {.threads = 2});
  return run_on(*backend, graph, inputs)[0];
}

bool agree(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return tolerance > 0 || std::signbit(a) == std::signbit(b);
  return std::abs(a - b) <= tolerance * std::max(1e-30, std::abs(b));
}

void expect_agreement(const OracleCase& test) {
  SCOPED_TRACE(test.name);
  Builder build;
  Exprs x;
  std::mt19937 random(5);
  std::vector<Tensor> inputs;
  for (const Type& type : test.inputs) {
    x.push_back(build.input("x" + std::to_string(x.size()), type));
    inputs.push_back(tricky(type, random));
  }
  build.output("y", test.build(x));
  Graph graph = build.finish();
  Tensor expected = interpret(graph, inputs)[0].converted(DType::float64);
  Tensor received = result_on_cpu(graph, inputs).converted(DType::float64);
  for (size_t i = 0; i < static_cast<size_t>(expected.elements()); ++i) {
    double a = received.values<double>()[i], b = expected.values<double>()[i];
    EXPECT_TRUE(agree(a, b, test.tolerance)) << "element " << i << ": " << a << ", not " << b;
  }
}

Type f(Shape shape) { return {DType::float32, std::move(shape)}; }

std::vector<OracleCase> copies() {
  using X = std::span<const Expr>;
  std::vector<OracleCase> cases;
  for (DType d : {DType::float32, DType::boolean, DType::int64, DType::bfloat16}) {
    auto t = [&](Shape shape) { return Type{d, std::move(shape)}; };
    auto add = [&](std::string name, Types in, std::function<Expr(X)> build) {
      cases.push_back({name + " " + std::string(name_of(d)), std::move(in), std::move(build)});
    };
    add("transpose", {t({3, 4, 5, 2})}, [](X x) { return transpose(x[0], {2, 0, 3, 1}); });
    add("transpose matrix", {t({37, 19})}, [](X x) { return transpose(x[0], {1, 0}); });
    add("slice", {t({5, 7, 3})}, [](X x) { return slice(x[0], {1, 2, 0}, {5, 7, 2}, {2, 1, 1}); });
    add("slice of nothing", {t({5, 7})}, [](X x) { return slice(x[0], {2, 0}, {2, 7}, {1, 1}); });
    add("reverse", {t({4, 3, 5})}, [](X x) { return reverse(x[0], {0, 2}); });
    add("pad", {t({3, 4}), t({})}, [](X x) { return pad(x[0], x[1], {2, 0}, {1, 3}, {0, 2}); });
    add("cut by negative padding", {t({5, 6}), t({})}, [](X x) {
      return pad(x[0], x[1], {-2, 1}, {1, -3}, {0, 1});
    });
    add("cut all", {t({2, 2}), t({})}, [](X x) {
      return pad(x[0], x[1], {-3, 0}, {4, 0}, {0, 0});
    });
    add("concatenate", {t({2, 3, 2}), t({2, 1, 2}), t({2, 0, 2})},
        [](X x) { return concatenate(x, 1); });
    add("broadcast", {t({3, 1, 2})}, [](X x) {
      return broadcast_in_dim(x[0], {3, 4, 5, 2}, {0, 2, 3});
    });
  }
  return cases;
}

std::vector<OracleCase> chains() {
  using X = std::span<const Expr>;
  std::vector<OracleCase> cases;
  auto add = [&](std::string name, Types in, std::function<Expr(X)> build, double tolerance = 0) {
    cases.push_back({std::move(name), std::move(in), std::move(build), tolerance});
  };
  Shape odd{3, 5, 77};
  add("arithmetic", {f(odd), f(odd)}, [](X x) { return (x[0] + x[1]) * x[0] - x[1] / x[0]; });
  add("rows", {f(odd), f({77})}, [](X x) { return maximum(x[0] * x[1], x[0]); });
  add("columns", {f(odd), f({3})},
      [odd](X x) { return minimum(x[0], broadcast_in_dim(x[1], odd, {0})) + x[0]; });
  add("middle axes", {f(odd), f({5})},
      [odd](X x) { return x[0] + broadcast_in_dim(x[1], odd, {1}); });
  add("scalar", {f(odd), f({})}, [](X x) { return x[0] / x[1] - 2.5; });
  add("choose", {f(odd), f(odd)},
      [](X x) { return select(compare(x[0], "LT", x[1]), x[0], -x[1]); });
  add("truth", {f(odd), f(odd)}, [](X x) {
    Expr less = compare(x[0], "LE", x[1]), finite = is_finite(x[0]);
    return bitwise_xor(bitwise_and(less, logical_not(finite)), compare(x[0], "NE", x[1]));
  });
  add(
      "roots", {f(odd)}, [](X x) { return sqrt(abs(x[0])) + rsqrt(abs(x[0])); }, 1e-6);
  add(
      "exponentials", {f(odd)},
      [](X x) { return exponential(x[0] * 0.1) + log(abs(x[0]) + 1) * tanh(abs(x[0])); }, 2e-6);
  add("bytes", {{DType::uint8, odd}},
      [](X x) { return convert(x[0], DType::float32) * (1.0 / 255); });
  add("labels", {{DType::int32, {9}}}, [](X x) {
    Expr classes = iota(*x[0].builder, {DType::int32, {9, 4}}, 1);
    return convert(compare(broadcast_in_dim(x[0], {9, 4}, {0}), "EQ", classes), DType::float32);
  });
  add("integers", {{DType::int32, odd}, {DType::int32, odd}},
      [](X x) { return x[0] * x[1] + bitwise_and(x[0], x[1]); });
  add("empty", {f({0, 3})}, [](X x) { return x[0] * 2 + 1; });
  return cases;
}

std::vector<OracleCase> others() {
  using X = std::span<const Expr>;
  std::vector<OracleCase> cases;
  auto add = [&](std::string name, Types in, std::function<Expr(X)> build, double tolerance = 0) {
    cases.push_back({std::move(name), std::move(in), std::move(build), tolerance});
  };
  for (DType d : {DType::float32, DType::int32, DType::float64}) {
    auto t = [&](Shape shape) { return Type{d, std::move(shape)}; };
    add("largest of rows", {t({7, 33})}, [](X x) { return reduce(x[0], "maximum", {1}); });
    add("least of columns", {t({33, 7})}, [](X x) { return reduce(x[0], "minimum", {0}); });
    add("axes apart", {t({3, 4, 5})}, [](X x) { return reduce(x[0], "maximum", {0, 2}); });
    add("largest of nothing", {t({3, 0})}, [](X x) { return reduce(x[0], "maximum", {1}); });
    add("argmax", {t({6, 11, 3})}, [](X x) { return argmax(x[0], 1); });
  }
  add("any", {{DType::boolean, {5, 3}}}, [](X x) { return reduce(x[0], "or", {1}); });
  add("rows of a table", {f({5, 3}), {DType::int32, {2, 4}}},
      [](X x) { return gather(x[0], x[1]); });
  add("rows by int64", {f({5, 3}), {DType::int64, {7}}}, [](X x) { return gather(x[0], x[1]); });
  add("rows of integers", {{DType::int32, {5, 2}}, {DType::int32, {6}}},
      [](X x) { return gather(x[0], x[1]); });
  return cases;
}

TEST(Oracle, Copies) {
  for (const OracleCase& test : copies()) expect_agreement(test);
}
TEST(Oracle, Chains) {
  for (const OracleCase& test : chains()) expect_agreement(test);
}
TEST(Oracle, ReductionsAndTables) {
  for (const OracleCase& test : others()) expect_agreement(test);
}

// Finite numbers only: what 0 * infinity is worth depends on the order of a sum.
TEST(Oracle, ProductsOfEveryOrderOfAxes) {
  struct Product {
    Shape lhs, rhs;
    DotDimensions dimensions;
  };
  const Product products[] = {
      {{5, 7}, {7, 3}, {{}, {}, {1}, {0}}},
      {{7, 5}, {3, 7}, {{}, {}, {0}, {1}}},
      {{2, 3, 4}, {4, 5}, {{}, {}, {2}, {0}}},
      {{2, 3, 4}, {3, 4, 5}, {{}, {}, {1, 2}, {0, 1}}},
      {{2, 3, 4}, {4, 3, 5}, {{}, {}, {1, 2}, {1, 0}}},
      {{6, 2, 3}, {6, 3, 4}, {{0}, {0}, {2}, {1}}},
      {{6, 3, 2}, {6, 4, 3}, {{0}, {0}, {1}, {2}}},
      {{2, 6, 3}, {6, 3, 4}, {{1}, {0}, {2}, {1}}},
      {{4, 0}, {0, 3}, {{}, {}, {1}, {0}}},
      {{0, 4}, {4, 3}, {{}, {}, {1}, {0}}},
      {{6}, {6}, {{}, {}, {0}, {0}}},
  };
  std::mt19937 random(3);
  std::normal_distribution<float> number;
  for (const Product& product : products) {
    Builder build;
    Expr a = build.input("a", f(product.lhs)), b = build.input("b", f(product.rhs));
    build.output("y", dot_general(a, b, product.dimensions));
    Graph graph = build.finish();
    std::vector<Tensor> inputs;
    for (const Shape& shape : {product.lhs, product.rhs}) {
      inputs.emplace_back(DType::float32, shape);
      for (float& value : inputs.back().values<float>()) value = number(random);
    }
    Tensor expected = interpret(graph, inputs)[0], received = result_on_cpu(graph, inputs);
    for (size_t i = 0; i < static_cast<size_t>(expected.elements()); ++i)
      EXPECT_NEAR(received.values<float>()[i], expected.values<float>()[i], 1e-5)
          << to_string(product.lhs) << " " << to_string(product.rhs);
  }
}

}  // namespace
}  // namespace hornbeam
