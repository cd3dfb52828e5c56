#include "backends/cpu/kernels/reduce.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "kernel_testing.h"

namespace hornbeam {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::vector<float> run(const Reduce& p, const std::vector<float>& x, const float* times,
                       ThreadPool& pool) {
  std::vector<float> y(static_cast<size_t>(p.outer * p.inner), 9.0f);
  TestWorkspace workspace(reduce_workspace(p, pool.threads()));
  reduce(p, x.data(), times, y.data(), workspace.data(), pool);
  return y;
}

double combine(Reduction reduction, double a, double b) {
  switch (reduction) {
    case Reduction::sum:
      return a + b;
    case Reduction::product:
      return a * b;
    case Reduction::maximum:
      return std::max(a, b);
    case Reduction::minimum:
      return std::min(a, b);
    case Reduction::logical_and:
      return a != 0 && b != 0;
    case Reduction::logical_or:
      return a != 0 || b != 0;
  }
  return 0;
}

constexpr std::pair<Reduction, double> all[] = {{Reduction::sum, 0},
                                                {Reduction::product, 1},
                                                {Reduction::maximum, -infinity},
                                                {Reduction::minimum, infinity},
                                                {Reduction::logical_and, 1},
                                                {Reduction::logical_or, 0}};

void check_shape(int64_t outer, int64_t reduced, int64_t inner) {
  for (auto [reduction, start] : all) {
    SCOPED_TRACE(testing::Message() << outer << "," << reduced << "," << inner << " reduction "
                                    << static_cast<int>(reduction));
    const Reduce p{reduction, outer, reduced, inner};
    // Products of many numbers near 1 stay in range.
    std::vector<float> x = reduction == Reduction::product
                               ? random_floats(outer * reduced * inner, 3, 0.99, 1.01)
                               : random_floats(outer * reduced * inner, 3);
    if (reduction == Reduction::logical_or || reduction == Reduction::logical_and)
      for (float& value : x) value = value > (reduction == Reduction::logical_or ? 0.9f : -0.9f);
    std::vector<double> expected(static_cast<size_t>(outer * inner), start);
    std::vector<double> scale(expected.size());
    for (size_t i = 0; i < x.size(); ++i) {
      const size_t row = static_cast<size_t>(reduced * inner), width = static_cast<size_t>(inner);
      const size_t at = i / row * width + i % width;
      expected[at] = combine(reduction, expected[at], x[i]);
      scale[at] += std::abs(x[i]);
    }
    on_every_machine([&](ThreadPool& pool) { return run(p, x, nullptr, pool); },
                     [&](const std::vector<float>& y) {
                       if (reduction == Reduction::sum || reduction == Reduction::product)
                         return expect_near(y, expected, scale, 1e-6);
                       for (size_t i = 0; i < y.size(); ++i)
                         ASSERT_EQ(y[i], static_cast<float>(expected[i]));
                     });
  }
}

TEST(Reduce, EveryShape) {
  check_shape(1, 1, 1);
  check_shape(3, 5, 7);
  check_shape(100, 10, 1);
  check_shape(5, 70001, 1);
  check_shape(1, 30011, 19);
  check_shape(1, 300, 500);
  check_shape(2, 40, 20001);
  check_shape(3, 0, 4);
  check_shape(0, 3, 4);
  check_shape(3, 4, 0);
}

TEST(Reduce, SumOfProducts) {
  for (auto [outer, reduced, inner] : {std::array{4, 9, 1}, {1, 20001, 13}, {3, 50000, 1}}) {
    const Reduce p{Reduction::sum, outer, reduced, inner};
    const std::vector<float> x = random_floats(outer * reduced * inner, 1);
    const std::vector<float> t = random_floats(outer * reduced * inner, 2);
    std::vector<double> expected(static_cast<size_t>(outer * inner)), scale(expected.size());
    for (size_t i = 0; i < x.size(); ++i) {
      const size_t row = static_cast<size_t>(reduced * inner), width = static_cast<size_t>(inner);
      expected[i / row * width + i % width] += double{x[i]} * t[i];
      scale[i / row * width + i % width] += std::abs(double{x[i]} * t[i]);
    }
    on_every_machine([&](ThreadPool& pool) { return run(p, x, t.data(), pool); },
                     [&](const std::vector<float>& y) { expect_near(y, expected, scale, 1e-6); });
  }
}

TEST(Reduce, NotANumberWins) {
  std::vector<float> x(40, 1.0f);
  x[17] = std::numeric_limits<float>::quiet_NaN();
  ThreadPool pool(1);
  for (Reduction reduction : {Reduction::maximum, Reduction::minimum, Reduction::sum})
    EXPECT_TRUE(std::isnan(run({reduction, 1, 40, 1}, x, nullptr, pool)[0]));
}

TEST(Reduce, OnlySumsTakeAFactor) {
  ThreadPool pool(1);
  const std::vector<float> x(4, 1.0f);
  EXPECT_THROW(run({Reduction::maximum, 1, 4, 1}, x, x.data(), pool), Error);
}

}  // namespace
}  // namespace hornbeam
