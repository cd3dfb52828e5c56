#include "backends/cpu/kernels/tile_program.h"

#include <algorithm>
#include <limits>

#include "backends/cpu/kernels/tile_schedule.h"
#include "kernel_testing.h"

namespace hornbeam {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// Special values first, then random ones, over more than one piece of work.
std::vector<float> arguments(double low, double high, uint64_t key) {
  std::vector<float> x = {0.0f,    -0.0f,  1.0f,  -1.0f,  infinity, -infinity, nan,     1e-40f,
                          -1e-40f, 1e-20f, 1e30f, -1e30f, 88.7f,    89.0f,     -87.5f,  -104.5f,
                          3e38f,   -3e38f, 0.5f,  2.0f,   1e-6f,    -1e-6f,    16384.f, -0.99999f};
  const std::vector<float> more = random_floats(20001, key, low, high);
  x.insert(x.end(), more.begin(), more.end());
  return x;
}

std::vector<float> run(const TileProgram& program, const std::vector<std::vector<float>>& inputs,
                       ThreadPool& pool, std::vector<uint64_t> keys = {}) {
  std::vector<float> result(inputs.empty() ? 5001 : inputs[0].size());
  std::vector<const void*> from;
  for (const auto& input : inputs) from.push_back(input.data());
  void* to = result.data();
  const int64_t count = static_cast<int64_t>(result.size());
  TestWorkspace workspace(tile_workspace(program, count, pool.threads()));
  run_tiles(program, count, from, keys, {&to, 1}, workspace.data(), pool);
  return result;
}

// Distance in units in the last place of the exact value; equal infinities and NaNs are at 0.
double ulps(float actual, double exact) {
  const float rounded = static_cast<float>(exact);
  if (std::isnan(exact)) return std::isnan(actual) ? 0 : 1e9;
  if (std::isinf(rounded) || std::isinf(actual)) return actual == rounded ? 0 : 1e9;
  const double unit = std::max(std::ldexp(1.0, std::ilogb(std::max(std::abs(exact), 1e-38)) - 23),
                               1.2e-38 * 1.2e-7);
  return std::abs(actual - exact) / unit;
}

struct Unary {
  TileOp op;
  double (*exact)(double);
  double low, high;
  double worst;  // ulps
};

TEST(TileProgram, FunctionsOfOneArgument) {
  const Unary table[] = {
      {TileOp::copy, [](double x) { return x; }, -9, 9, 0},
      {TileOp::negate, [](double x) { return -x; }, -9, 9, 0},
      {TileOp::abs, [](double x) { return std::abs(x); }, -9, 9, 0},
      {TileOp::sign, [](double x) { return x > 0   ? 1
                                           : x < 0 ? -1
                                                   : x; }, -9, 9, 0},
      {TileOp::exp, [](double x) { return std::exp(x); }, -80, 80, 2},
      {TileOp::expm1, [](double x) { return std::expm1(x); }, -10, 10, 6},
      {TileOp::log, [](double x) { return std::log(x); }, 0, 20, 3},
      {TileOp::log1p, [](double x) { return std::log1p(x); }, -1, 5, 4},
      {TileOp::sqrt, [](double x) { return std::sqrt(x); }, 0, 50, 0.5},
      {TileOp::rsqrt, [](double x) { return 1 / std::sqrt(x); }, 0, 50, 1.5},
      {TileOp::tanh, [](double x) { return std::tanh(x); }, -8, 8, 5},
      {TileOp::logistic, [](double x) { return 1 / (1 + std::exp(-x)); }, -30, 30, 4},
      {TileOp::floor, [](double x) { return std::floor(x); }, -50, 50, 0},
      {TileOp::ceil, [](double x) { return std::ceil(x); }, -50, 50, 0},
      {TileOp::is_finite, [](double x) { return std::isfinite(x) ? 1.0 : 0.0; }, -5, 5, 0},
      {TileOp::logical_not, [](double x) { return x == 0 ? 1.0 : 0.0; }, -5, 5, 0},
      {TileOp::round_bfloat16,
       [](double x) {
         return static_cast<double>(static_cast<float>(BFloat16(static_cast<float>(x))));
       },
       -9, 9, 0},
  };
  for (const Unary& each : table) {
    SCOPED_TRACE(static_cast<int>(each.op));
    const std::vector<float> x = arguments(each.low, each.high, 5);
    const TileProgram program{{{.reg = 0}}, {{.op = each.op, .to = 1, .a = 0}}, {{.reg = 1}}, 2};
    on_every_machine([&](ThreadPool& pool) { return run(program, {x}, pool); },
                     [&](const std::vector<float>& y) {
                       for (size_t i = 0; i < x.size(); ++i)
                         ASSERT_LE(ulps(y[i], each.exact(x[i])), each.worst + 0.5)
                             << "of " << x[i] << ": " << y[i] << ", exactly " << each.exact(x[i]);
                     });
  }
}

// Near multiples of pi only the absolute error can be small.
TEST(TileProgram, SineAndCosine) {
  const std::vector<float> x = arguments(-100, 100, 6);
  for (TileOp op : {TileOp::sine, TileOp::cosine}) {
    const TileProgram program{{{.reg = 0}}, {{.op = op, .to = 1, .a = 0}}, {{.reg = 1}}, 2};
    on_every_machine([&](ThreadPool& pool) { return run(program, {x}, pool); },
                     [&](const std::vector<float>& y) {
                       for (size_t i = 0; i < x.size(); ++i) {
                         const double exact =
                             op == TileOp::sine ? std::sin(double{x[i]}) : std::cos(double{x[i]});
                         if (std::isnan(exact))
                           ASSERT_TRUE(std::isnan(y[i]));
                         else
                           ASSERT_NEAR(y[i], exact, 3e-7) << x[i];
                       }
                     });
  }
}

struct Binary {
  TileOp op;
  float (*exact)(float, float);
};

TEST(TileProgram, FunctionsOfTwoArguments) {
  const Binary table[] = {
      {TileOp::add, [](float a, float b) { return a + b; }},
      {TileOp::subtract, [](float a, float b) { return a - b; }},
      {TileOp::multiply, [](float a, float b) { return a * b; }},
      {TileOp::divide, [](float a, float b) { return a / b; }},
      {TileOp::power, [](float a, float b) { return std::pow(a, b); }},
      {TileOp::remainder, [](float a, float b) { return std::fmod(a, b); }},
      {TileOp::maximum,
       [](float a, float b) { return std::isnan(a) || std::isnan(b) ? nan : std::max(a, b); }},
      {TileOp::minimum,
       [](float a, float b) { return std::isnan(a) || std::isnan(b) ? nan : std::min(a, b); }},
      {TileOp::logical_and, [](float a, float b) { return a != 0 && b != 0 ? 1.f : 0.f; }},
      {TileOp::logical_or, [](float a, float b) { return a != 0 || b != 0 ? 1.f : 0.f; }},
      {TileOp::logical_xor, [](float a, float b) { return (a != 0) != (b != 0) ? 1.f : 0.f; }},
      {TileOp::equal, [](float a, float b) { return a == b ? 1.f : 0.f; }},
      {TileOp::not_equal, [](float a, float b) { return a != b ? 1.f : 0.f; }},
      {TileOp::less, [](float a, float b) { return a < b ? 1.f : 0.f; }},
      {TileOp::less_equal, [](float a, float b) { return a <= b ? 1.f : 0.f; }},
      {TileOp::greater, [](float a, float b) { return a > b ? 1.f : 0.f; }},
      {TileOp::greater_equal, [](float a, float b) { return a >= b ? 1.f : 0.f; }},
  };
  std::vector<float> a = arguments(-3, 3, 7), b = arguments(-3, 3, 8);
  std::rotate(b.begin(), b.begin() + 7, b.begin() + 24);
  for (size_t i = 100; i < 200; ++i) b[i] = a[i];
  for (const Binary& each : table) {
    SCOPED_TRACE(static_cast<int>(each.op));
    const TileProgram program{
        {{.reg = 0}, {.reg = 1}}, {{.op = each.op, .to = 1, .a = 0, .b = 1}}, {{.reg = 1}}, 2};
    on_every_machine(
        [&](ThreadPool& pool) {
          return run(program, {a, b}, pool);
        },
        [&](const std::vector<float>& y) {
          for (size_t i = 0; i < a.size(); ++i) {
            const float exact = each.exact(a[i], b[i]);
            if (std::isnan(exact))
              ASSERT_TRUE(std::isnan(y[i])) << a[i] << ", " << b[i];
            else
              ASSERT_EQ(y[i], exact) << a[i] << ", " << b[i];
          }
        });
  }
}

// relu(x * scale[channel] + shift[row]) + 2, with every access.
TEST(TileProgram, BroadcastsInAChain) {
  constexpr int64_t rows = 300, channels = 37;
  const std::vector<float> x = random_floats(rows * channels, 1);
  const std::vector<float> scale = random_floats(channels, 2), shift = random_floats(rows, 3);
  const std::vector<float> two = {2};
  const TileProgram program{{{.reg = 0},
                             {.reg = 1, .access = TileAccess::row, .extent = channels},
                             {.reg = 2, .access = TileAccess::column, .extent = channels},
                             {.reg = 3, .access = TileAccess::scalar}},
                            {{.op = TileOp::multiply, .to = 4, .a = 0, .b = 1},
                             {.op = TileOp::add, .to = 5, .a = 4, .b = 2},
                             {.op = TileOp::constant, .to = 6},
                             {.op = TileOp::greater, .to = 7, .a = 5, .b = 6},
                             {.op = TileOp::select, .to = 8, .a = 7, .b = 5, .c = 6},
                             {.op = TileOp::add, .to = 9, .a = 8, .b = 3}},
                            {{.reg = 9}},
                            10};
  const TileProgram small = scheduled(program);
  EXPECT_LE(small.registers, 8);
  for (const TileProgram& each : {program, small})
    on_every_machine(
        [&](ThreadPool& pool) {
          return run(each, {x, scale, shift, two}, pool);
        },
        [&](const std::vector<float>& y) {
          for (size_t i = 0; i < x.size(); ++i)
            ASSERT_EQ(y[i], std::max(0.0f, x[i] * scale[i % channels] + shift[i / channels]) + 2);
        });
}

// Sums of x * scale[channel] over rows, and 2 * x beside them, for rows that fit tiles in every
// way.
TEST(TileProgram, SumsOfRows) {
  for (const int64_t channels : {1, 3, 37, 96, 512, 700, 1024}) {
    SCOPED_TRACE(channels);
    const int64_t rows = 40000 / channels;
    const std::vector<float> x = random_floats(rows * channels, 1);
    const std::vector<float> scale = random_floats(channels, 2);
    const TileProgram program =
        scheduled({{{.reg = 0}, {.reg = 1, .access = TileAccess::row, .extent = channels}},
                   {{.op = TileOp::multiply, .to = 2, .a = 0, .b = 1},
                    {.op = TileOp::add, .to = 3, .a = 0, .b = 0}},
                   {{.reg = 2, .columns = channels}, {.reg = 3}, {.reg = 0, .columns = channels}},
                   4});
    std::vector<double> exact(static_cast<size_t>(channels)), plain(exact);
    for (size_t i = 0; i < x.size(); ++i) {
      exact[i % exact.size()] += double{x[i] * scale[i % exact.size()]};
      plain[i % exact.size()] += double{x[i]};
    }
    on_every_machine(
        [&](ThreadPool& pool) {
          std::vector<float> results(2 * exact.size() + x.size());
          const void* from[] = {x.data(), scale.data()};
          float* sums = results.data() + x.size();
          void* to[] = {sums, results.data(), sums + channels};
          TestWorkspace workspace(tile_workspace(program, rows * channels, pool.threads()));
          run_tiles(program, rows * channels, from, {}, to, workspace.data(), pool);
          return results;
        },
        [&](const std::vector<float>& results) {
          for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(results[i], 2 * x[i]);
          const float* sums = results.data() + x.size();
          for (size_t c = 0; c < exact.size(); ++c) {
            ASSERT_NEAR(sums[c], exact[c], 1e-6 * static_cast<double>(rows));
            ASSERT_NEAR(sums[exact.size() + c], plain[c], 1e-6 * static_cast<double>(rows));
          }
        });
  }
}

// x[:, 1::2, :] and every row of y twice, of 3 pictures of 4 rows of 40 elements.
TEST(TileProgram, StridedOperands) {
  const std::vector<float> x = random_floats(3 * 8 * 40, 1), y = random_floats(3 * 2 * 40, 2);
  const TileProgram program = scheduled(
      {{{.reg = 0, .access = TileAccess::strided, .offset = 40, .axes = {{12, 80}, {40, 1}}},
        {.reg = 1, .access = TileAccess::strided, .axes = {{6, 40}, {2, 0}, {40, 1}}}},
       {{.op = TileOp::add, .to = 2, .a = 0, .b = 1}},
       {{.reg = 2}},
       3});
  on_every_machine(
      [&](ThreadPool& pool) {
        std::vector<float> result(3 * 4 * 40);
        const void* from[] = {x.data(), y.data()};
        void* to = result.data();
        TestWorkspace workspace(tile_workspace(program, 480, pool.threads()));
        run_tiles(program, 480, from, {}, {&to, 1}, workspace.data(), pool);
        return result;
      },
      [&](const std::vector<float>& result) {
        for (size_t i = 0; i < result.size(); ++i) {
          const size_t row = i / 40, column = i % 40;
          ASSERT_EQ(result[i], x[(2 * row + 1) * 40 + column] + y[row / 2 * 40 + column]);
        }
      });
}

TEST(TileProgram, ConvertsOnLoadAndStore) {
  const std::vector<uint8_t> bytes = {0, 1, 200, 255};
  const std::vector<int32_t> whole = {-3, 0, 70000, -16777216};
  const std::vector<BFloat16> halves = {BFloat16(1.5f), BFloat16(-2.0f), BFloat16(infinity),
                                        BFloat16(0.0f)};
  const TileProgram program{{{.reg = 0, .dtype = DType::uint8},
                             {.reg = 1, .dtype = DType::int32},
                             {.reg = 2, .dtype = DType::bfloat16}},
                            {},
                            {{.reg = 0},
                             {.reg = 1, .dtype = DType::uint8},
                             {.reg = 2, .dtype = DType::boolean},
                             {.reg = 1, .dtype = DType::bfloat16},
                             {.reg = 2, .dtype = DType::int32}},
                            3};
  const void* from[] = {bytes.data(), whole.data(), halves.data()};
  std::vector<float> a(4);
  std::vector<uint8_t> b(4), c(4);
  std::vector<BFloat16> e(4);
  std::vector<int32_t> f(4);
  void* to[] = {a.data(), b.data(), c.data(), e.data(), f.data()};
  ThreadPool pool(1);
  TestWorkspace workspace(tile_workspace(program, 4, 1));
  run_tiles(program, 4, from, {}, to, workspace.data(), pool);
  EXPECT_EQ(a, (std::vector<float>{0, 1, 200, 255}));
  EXPECT_EQ(b, (std::vector<uint8_t>{0, 0, 255, 0}));
  EXPECT_EQ(c, (std::vector<uint8_t>{1, 1, 1, 0}));
  EXPECT_EQ(e[2], BFloat16(70000.0f));
  EXPECT_EQ(f, (std::vector<int32_t>{1, -2, std::numeric_limits<int32_t>::max(), 0}));
}

TEST(TileProgram, RandomNumbersAreThoseOfTheCounter) {
  const uint64_t key = 0x123456789abcdef0;
  const TileProgram uniform{{}, {{.op = TileOp::uniform, .to = 0}}, {{.reg = 0}}, 1};
  const TileProgram mask{{}, {{.op = TileOp::keep_mask, .to = 0, .value = 0.3f}}, {{.reg = 0}}, 1};
  const auto expected = [&](size_t i) {
    const uint64_t pair = threefry(key, i / 2);
    const uint32_t word = static_cast<uint32_t>(i % 2 == 0 ? pair : pair >> 32);
    return static_cast<float>(word >> 8) * 0x1p-24f;
  };
  on_every_machine([&](ThreadPool& pool) { return run(uniform, {}, pool, {key}); },
                   [&](const std::vector<float>& y) {
                     for (size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], expected(i)) << i;
                   });
  on_every_machine([&](ThreadPool& pool) { return run(mask, {}, pool, {key}); },
                   [&](const std::vector<float>& y) {
                     for (size_t i = 0; i < y.size(); ++i)
                       ASSERT_EQ(y[i], expected(i) >= 0.3f ? 1.0f : 0.0f) << i;
                   });
}

TEST(TileProgram, NoElements) {
  const TileProgram program{{{.reg = 0}}, {}, {{.reg = 0}}, 1};
  ThreadPool pool(2);
  EXPECT_TRUE(run(program, {{}}, pool).empty());
}

}  // namespace
}  // namespace hornbeam
