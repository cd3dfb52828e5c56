#include "backends/cpu/kernels/gemm.h"

#include <limits>

#include "base/error.h"
#include "kernel_testing.h"

namespace hornbeam {
namespace {

struct Case {
  int64_t rows, columns, depth;
  bool transpose_a = false, transpose_b = false, accumulate = false, bias = false;
  int64_t batch = 1;
  int64_t extra = 0;  // floats between the stored rows
  double kept = 1;    // the share of A that is not zero
};

Gemm problem_of(const Case& c) {
  Gemm p = dense_gemm(c.rows, c.columns, c.depth, c.transpose_a, c.transpose_b);
  p.leading_a += c.extra;
  p.leading_b += c.extra;
  p.leading_c += c.extra;
  p.accumulate = c.accumulate;
  p.batch = c.batch;
  p.batch_stride_a = (c.transpose_a ? c.depth : c.rows) * p.leading_a;
  p.batch_stride_b = (c.transpose_b ? c.columns : c.depth) * p.leading_b;
  p.batch_stride_c = c.rows * p.leading_c;
  return p;
}

struct Data {
  Data(const Gemm& p, bool with_bias, double kept)
      : a(random_floats(p.batch * p.batch_stride_a, 1)),
        b(random_floats(p.batch * p.batch_stride_b, 2)),
        c(random_floats(p.batch * p.batch_stride_c, 3)),
        bias(random_floats(with_bias ? p.columns : 0, 4)) {
    Random random(5);
    for (float& value : a)
      if (random.uniform() >= kept) value = 0;
  }
  const float* bias_or_null() const { return bias.empty() ? nullptr : bias.data(); }
  std::vector<float> a, b, c, bias;
};

struct Expected {
  std::vector<double> value, scale;
};

double element(const std::vector<float>& m, int64_t base, int64_t leading, bool transposed,
               int64_t i, int64_t j) {
  return m[static_cast<size_t>(base + (transposed ? j * leading + i : i * leading + j))];
}

// Plain loops in double; untouched gaps between rows keep their values.
Expected plain(const Gemm& p, const Data& data) {
  Expected out{{data.c.begin(), data.c.end()}, std::vector<double>(data.c.size(), 1)};
  for (int64_t item = 0; item < p.batch; ++item)
    for (int64_t i = 0; i < p.rows; ++i)
      for (int64_t j = 0; j < p.columns; ++j) {
        const auto at = static_cast<size_t>(item * p.batch_stride_c + i * p.leading_c + j);
        double sum = p.accumulate ? data.c[at] : 0;
        if (!data.bias.empty()) sum += data.bias[static_cast<size_t>(j)];
        double scale = std::abs(sum);
        for (int64_t k = 0; k < p.depth; ++k) {
          const double term =
              element(data.a, item * p.batch_stride_a, p.leading_a, p.transpose_a, i, k) *
              element(data.b, item * p.batch_stride_b, p.leading_b, p.transpose_b, k, j);
          sum += term;
          scale += std::abs(term);
        }
        out.value[at] = sum;
        out.scale[at] = scale;
      }
  return out;
}

void check_case(const Case& c) {
  SCOPED_TRACE(testing::Message() << c.rows << "x" << c.columns << "x" << c.depth << " "
                                  << (c.transpose_a ? "T" : "N") << (c.transpose_b ? "T" : "N")
                                  << " acc " << c.accumulate << " bias " << c.bias << " batch "
                                  << c.batch << " extra " << c.extra);
  const Gemm p = problem_of(c);
  const Data data(p, c.bias, c.kept);
  const Expected expected = plain(p, data);
  on_every_machine(
      [&](ThreadPool& pool) {
        std::vector<float> result = data.c;
        TestWorkspace workspace(gemm_workspace(p, pool.threads()));
        gemm(p, data.a.data(), data.b.data(), data.bias_or_null(), result.data(), workspace.data(),
             pool);
        return result;
      },
      [&](const std::vector<float>& result) {
        expect_near(result, expected.value, expected.scale,
                    4e-7 * std::sqrt(1.0 + static_cast<double>(c.depth)));
      });
}

TEST(Gemm, TinyAndOddShapes) {
  for (int64_t rows : {1, 2, 5, 6, 7, 13, 33})
    for (int64_t columns : {1, 3, 8, 15, 16, 17, 31, 40})
      for (int64_t depth : {1, 2, 7, 16, 19}) check_case({rows, columns, depth});
}

TEST(Gemm, EveryTranspositionAndMode) {
  for (auto [rows, columns, depth] : {std::array{32, 32, 16},
                                      {37, 45, 29},
                                      {150, 270, 401},
                                      {97, 530, 33},
                                      {11, 13, 9000},
                                      {300, 20, 130}})
    for (int mode = 0; mode < 16; ++mode)
      check_case({rows, columns, depth, (mode & 1) != 0, (mode & 2) != 0, (mode & 4) != 0,
                  (mode & 12) == 8, 1, mode % 3});
}

TEST(Gemm, Batches) {
  check_case({5, 7, 3, false, false, false, false, 4});
  check_case({64, 64, 64, false, true, true, false, 5, 3});
  check_case({130, 200, 90, true, false, false, true, 2});
  check_case({20, 20, 3000, true, false, true, false, 3});
  check_case({5, 7, 3, false, false, false, false, 0});
}

TEST(Gemm, ManyColumnsAndRows) {
  check_case({40, 4500, 20});
  check_case({3500, 200, 9});
  check_case({1, 1000, 600});
  check_case({1, 1, 100000});
  check_case({200000, 1, 2});
}

TEST(Gemm, MostlyZeros) {
  for (int mode = 0; mode < 12; ++mode)
    check_case({250, 330, 450, (mode & 1) != 0, (mode & 2) != 0, mode / 4 == 1, mode / 4 == 2, 1,
                mode % 3, 0.25});
  check_case({100, 4200, 70, false, false, false, false, 1, 0, 0.1});
  check_case({3500, 200, 65, true, false, false, false, 1, 0, 0.5});
}

TEST(Gemm, EmptyOperands) {
  check_case({0, 5, 3});
  check_case({5, 0, 3});
  check_case({5, 7, 0});
  check_case({5, 7, 0, false, false, true});
  check_case({5, 7, 0, false, false, false, true});
}

TEST(Gemm, SharedOperandOfABatch) {
  Gemm p = dense_gemm(3, 4, 2);
  p.batch = 2;
  p.batch_stride_a = 6;
  p.batch_stride_c = 12;
  const std::vector<float> a = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const std::vector<float> b = {1, 0, 1, 1, 0, 1, 1, -1};
  std::vector<float> c(24);
  ThreadPool pool(2);
  TestWorkspace workspace(gemm_workspace(p, 2));
  gemm(p, a.data(), b.data(), nullptr, c.data(), workspace.data(), pool);
  EXPECT_EQ(c, (std::vector<float>{1, 2, 3,  -1, 3, 4,  7,  -1, 5,  6,  11, -1,
                                   7, 8, 15, -1, 9, 10, 19, -1, 11, 12, 23, -1}));
}

// 0 * inf is NaN and stays in its row and column.
TEST(Gemm, NotANumberSpreadsAsInPlainLoops) {
  const float inf = std::numeric_limits<float>::infinity();
  for (int64_t size : {5, 70, 200}) {
    const Gemm p = dense_gemm(size, size, size);
    std::vector<float> a(static_cast<size_t>(size * size), 1.0f), b = a;
    a[static_cast<size_t>(2 * size + 3)] = inf;
    b[static_cast<size_t>(3 * size + 1)] = 0;
    on_every_machine(
        [&](ThreadPool& pool) {
          std::vector<float> c(a.size());
          TestWorkspace workspace(gemm_workspace(p, pool.threads()));
          gemm(p, a.data(), b.data(), nullptr, c.data(), workspace.data(), pool);
          return c;
        },
        [&](const std::vector<float>& c) {
          for (int64_t i = 0; i < size; ++i)
            for (int64_t j = 0; j < size; ++j) {
              const float value = c[static_cast<size_t>(i * size + j)];
              if (i != 2)
                EXPECT_EQ(value, static_cast<float>(j == 1 ? size - 1 : size));
              else if (j == 1)
                EXPECT_TRUE(std::isnan(value));
              else
                EXPECT_EQ(value, inf);
            }
        });
  }
}

TEST(Gemm, BiasExcludesAccumulate) {
  Gemm p = dense_gemm(1, 1, 1);
  p.accumulate = true;
  const float one = 1;
  float c = 0;
  ThreadPool pool(1);
  TestWorkspace workspace(gemm_workspace(p, 1));
  EXPECT_THROW(gemm(p, &one, &one, &one, &c, workspace.data(), pool), Error);
}

}  // namespace
}  // namespace hornbeam
