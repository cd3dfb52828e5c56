#include "backends/cpu/kernels/gemm_sparse.h"

#include <limits>

#include "backends/cpu/kernels/gemm.h"
#include "kernel_testing.h"

namespace hornbeam {
namespace {

std::vector<float> mostly_zeros(int64_t count, double kept) {
  std::vector<float> values = random_floats(count, 1);
  Random random(5);
  for (float& value : values)
    if (random.uniform() >= kept) value = 0;
  return values;
}

struct Case {
  int64_t rows, columns, depth;
  bool transpose_a = false, accumulate = false, bias = false;
  double kept = 0.25;
};

// The bits of a block by multiply_block and by multiply_sparse_block must agree.
void check_block(const Case& c) {
  SCOPED_TRACE(testing::Message() << c.rows << "x" << c.columns << "x" << c.depth << " "
                                  << (c.transpose_a ? "T" : "N") << " acc " << c.accumulate
                                  << " bias " << c.bias << " kept " << c.kept);
  const std::vector<float> a = mostly_zeros(c.rows * c.depth, c.kept);
  const std::vector<float> b = random_floats(c.depth * c.columns, 2);
  const std::vector<float> old = random_floats(c.rows * c.columns, 3);
  const std::vector<float> bias = random_floats(c.columns, 4);
  const MatrixView view =
      c.transpose_a ? MatrixView{a.data(), 1, c.rows} : MatrixView{a.data(), c.depth, 1};
  const int64_t stride = c.depth * micro_tile().columns;
  const int64_t panels = (c.columns + micro_tile().columns - 1) / micro_tile().columns;
  TestWorkspace packed_b(panels * stride * 4), packed_a(sparse_rows_floats(c.rows, c.depth) * 4);
  TestWorkspace sums(sparse_sums_floats(c.rows) * 4);
  auto* columns = static_cast<float*>(packed_b.data());
  pack_columns({b.data(), c.columns, 1}, c.depth, c.columns, columns, stride);
  std::vector<float> expected = old, actual = old;
  BlockProduct product{
      c.rows, c.columns,       c.depth,   view,         columns,
      stride, expected.data(), c.columns, c.accumulate, c.bias ? bias.data() : nullptr};
  multiply_block(product);
  auto* rows = static_cast<float*>(packed_a.data());
  ASSERT_TRUE(pack_sparse_rows(view, c.rows, c.depth, rows));
  product.a = {rows, 0, 0};
  product.c = actual.data();
  multiply_sparse_block(product, static_cast<float*>(sums.data()));
  EXPECT_EQ(actual, expected);
}

template <class Check>
void on_every_isa(Check&& check) {
  for (std::string_view isa : available_isas()) {
    SCOPED_TRACE(std::string(isa));
    force_isa(isa);
    check();
  }
  force_isa(available_isas().front());
}

TEST(SparseRows, SumsAreThoseOfTheWholeProduct) {
  on_every_isa([] {
    for (auto [rows, columns, depth] :
         {std::array{1, 1, 40}, {7, 33, 64}, {96, 192, 384}, {61, 100, 301}, {96, 17, 65}})
      for (int mode = 0; mode < 6; ++mode)
        check_block({rows, columns, depth, mode % 2 == 1, mode / 2 == 1, mode / 2 == 2});
    check_block({30, 50, 200, false, false, true, 0});
    check_block({30, 50, 200, true, true, false, 0.4});
  });
}

TEST(SparseRows, RefusedWhereTooFewAreZero) {
  on_every_isa([] {
    const std::vector<float> a = mostly_zeros(90 * 200, 0.6);
    TestWorkspace packed(sparse_rows_floats(90, 200) * 4);
    auto* rows = static_cast<float*>(packed.data());
    EXPECT_FALSE(pack_sparse_rows({a.data(), 200, 1}, 90, 200, rows));
    EXPECT_FALSE(pack_sparse_rows({a.data(), 1, 90}, 90, 200, rows));
  });
}

TEST(SparseRows, FiniteMeansNeitherInfinityNorNan) {
  on_every_isa([] {
    alignas(64) float values[128] = {};
    values[5] = std::numeric_limits<float>::max();
    EXPECT_TRUE(is_finite(values, 128));
    for (float bad :
         {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
          std::numeric_limits<float>::quiet_NaN()}) {
      values[77] = bad;
      EXPECT_FALSE(is_finite(values, 128));
    }
  });
}

// Zero times infinity is NaN, in a product of mostly zeros too, and nowhere else.
TEST(SparseRows, AnInfinityInTheOtherOperand) {
  const Gemm p = dense_gemm(200, 300, 500);
  const std::vector<float> a = mostly_zeros(200 * 500, 0.2);
  std::vector<float> b = random_floats(500 * 300, 2);
  b[7 * 300 + 250] = std::numeric_limits<float>::infinity();
  on_every_machine(
      [&](ThreadPool& pool) {
        std::vector<float> c(200 * 300);
        TestWorkspace workspace(gemm_workspace(p, pool.threads()));
        gemm(p, a.data(), b.data(), nullptr, c.data(), workspace.data(), pool);
        return c;
      },
      [&](const std::vector<float>& c) {
        for (int64_t i = 0; i < 200; ++i) {
          EXPECT_EQ(std::isnan(c[static_cast<size_t>(i * 300 + 250)]),
                    a[static_cast<size_t>(i * 500 + 7)] == 0);
          EXPECT_TRUE(std::isfinite(c[static_cast<size_t>(i * 300 + 249)]));
        }
      });
}

}  // namespace
}  // namespace hornbeam
