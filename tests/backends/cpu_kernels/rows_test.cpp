// Softmax, gather and strided copies.
#include <limits>
#include <numeric>

#include "backends/cpu/kernels/gather.h"
#include "backends/cpu/kernels/softmax.h"
#include "backends/cpu/kernels/strided_copy.h"
#include "kernel_testing.h"

namespace hornbeam {
namespace {

struct SoftmaxRows {
  std::vector<double> value;
  std::vector<double> scale;
};

// softmax and log-softmax, one after the other, in double.
SoftmaxRows plain_softmax(int64_t rows, int64_t columns, const std::vector<float>& x) {
  const size_t size = x.size(), width = static_cast<size_t>(columns);
  SoftmaxRows all{std::vector<double>(2 * size), std::vector<double>(2 * size, 1)};
  for (size_t r = 0; r < static_cast<size_t>(rows); ++r) {
    double sum = 0;
    for (size_t i = r * width; i < (r + 1) * width; ++i) sum += std::exp(double{x[i]});
    for (size_t i = r * width; i < (r + 1) * width; ++i) {
      all.value[i] = std::exp(double{x[i]}) / sum;
      all.value[size + i] = x[i] - std::log(sum);
      all.scale[size + i] = 20 + std::abs(x[i]);
    }
  }
  return all;
}

TEST(Softmax, EveryShape) {
  for (auto [rows, columns] : {std::array{1, 1}, {5, 10}, {300, 37}, {3, 3000}, {0, 4}, {4, 0}}) {
    const std::vector<float> x = random_floats(rows * columns, 1, -20, 20);
    const SoftmaxRows expected = plain_softmax(rows, columns, x);
    on_every_machine(
        [&](ThreadPool& pool) {
          std::vector<float> all(2 * x.size());
          softmax(rows, columns, x.data(), all.data(), pool);
          log_softmax(rows, columns, x.data(), all.data() + x.size(), pool);
          return all;
        },
        [&](const std::vector<float>& all) {
          expect_near(all, expected.value, expected.scale, 5e-7);
        });
  }
}

TEST(Softmax, LargeNumbersInPlace) {
  std::vector<float> x = {1000, 1000, -1000, 3e38f, 0, -3e38f};
  std::vector<float> y = x;
  ThreadPool pool(1);
  softmax(2, 3, x.data(), x.data(), pool);
  EXPECT_EQ(x, (std::vector<float>{0.5f, 0.5f, 0, 1, 0, 0}));
  log_softmax(2, 3, y.data(), y.data(), pool);
  EXPECT_FLOAT_EQ(y[0], -0.6931472f);
  EXPECT_FLOAT_EQ(y[2], -2000.6931f);
}

TEST(Softmax, NotANumberSpoilsItsRowAlone) {
  std::vector<float> x = {1, std::numeric_limits<float>::quiet_NaN(), 2, 5, 5, 5};
  ThreadPool pool(1);
  softmax(2, 3, x.data(), x.data(), pool);
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(x[i]));
  EXPECT_FLOAT_EQ(x[4], 1.0f / 3);
}

template <class Index>
void check_gather() {
  constexpr int64_t rows = 13, columns = 5, count = 4000;
  const std::vector<float> table = random_floats(rows * columns, 1);
  const std::vector<float> add = random_floats(count * columns, 2);
  std::vector<Index> indices;
  for (int64_t i = 0; i < count; ++i) indices.push_back(static_cast<Index>(i * i % rows));
  std::vector<float> sums = table;
  for (size_t i = 0; i < add.size(); ++i)
    sums[static_cast<size_t>(indices[i / 5]) * 5 + i % 5] += add[i];
  EXPECT_EQ(first_bad_index(indices.data(), count, rows), -1);
  on_every_machine(
      [&](ThreadPool& pool) {
        std::vector<float> all(table);
        scatter_add_rows({rows, columns}, add.data(), indices.data(), count, all.data(), pool);
        all.resize(table.size() + add.size());
        gather_rows({rows, columns}, table.data(), indices.data(), count, all.data() + table.size(),
                    pool);
        return all;
      },
      [&](const std::vector<float>& all) {
        for (size_t i = 0; i < sums.size(); ++i) ASSERT_EQ(all[i], sums[i]);
        for (size_t i = 0; i < add.size(); ++i)
          ASSERT_EQ(all[sums.size() + i], table[static_cast<size_t>(indices[i / 5]) * 5 + i % 5]);
      });
}

TEST(Gather, RowsOfBothIndexTypes) {
  check_gather<int32_t>();
  check_gather<int64_t>();
}

TEST(Gather, NamesTheFirstBadIndex) {
  const int32_t indices[] = {0, 4, 5, -1};
  EXPECT_EQ(first_bad_index(indices, 4, 5), 2);
  EXPECT_EQ(first_bad_index(indices, 2, 5), -1);
  const int64_t negative[] = {-1};
  EXPECT_EQ(first_bad_index(negative, 1, 5), 0);
}

template <class T>
void check_transpose(const std::vector<int64_t>& shape, const std::vector<int64_t>& permutation) {
  const size_t rank = shape.size();
  int64_t size = 1;
  for (int64_t each : shape) size *= each;
  std::vector<T> x(static_cast<size_t>(size)), y(x.size()), expected(x.size());
  std::iota(x.begin(), x.end(), T{});
  for (int64_t i = 0; i < size; ++i) {
    std::vector<int64_t> index(rank);
    for (int64_t k = static_cast<int64_t>(rank) - 1, rest = i; k >= 0; --k) {
      index[static_cast<size_t>(k)] = rest % shape[static_cast<size_t>(k)];
      rest /= shape[static_cast<size_t>(k)];
    }
    int64_t to = 0;
    for (int64_t axis : permutation)
      to = to * shape[static_cast<size_t>(axis)] + index[static_cast<size_t>(axis)];
    expected[static_cast<size_t>(to)] = x[static_cast<size_t>(i)];
  }
  for (int threads : {1, 3}) {
    ThreadPool pool(threads);
    strided_copy(transpose(shape, permutation), sizeof(T), x.data(), y.data(), pool);
    EXPECT_EQ(y, expected);
  }
}

TEST(StridedCopy, Transposes) {
  const std::pair<std::vector<int64_t>, std::vector<int64_t>> cases[] = {
      {{}, {}},
      {{7}, {0}},
      {{33, 50}, {1, 0}},
      {{1000, 3}, {1, 0}},
      {{2, 3, 70, 41}, {0, 2, 3, 1}},
      {{4, 20, 21, 3}, {0, 3, 1, 2}},
      {{3, 4, 5, 6, 2, 7}, {5, 2, 0, 4, 1, 3}},
      {{5, 1, 6}, {2, 1, 0}},
      {{8, 0, 3}, {2, 1, 0}},
      {{30, 20, 40}, {0, 1, 2}},
      {{300, 200}, {1, 0}}};
  for (const auto& [shape, permutation] : cases) {
    SCOPED_TRACE(testing::PrintToString(shape));
    check_transpose<uint8_t>(shape, permutation);
    check_transpose<float>(shape, permutation);
    check_transpose<int64_t>(shape, permutation);
  }
}

// Rows 4, 2, 0 and columns 1 … 2 of a (5, 4) array into the middle of a (3, 5) one.
TEST(StridedCopy, SlicesBackwardsIntoPadding) {
  std::vector<uint16_t> x(20), y(15, 9);
  std::iota(x.begin(), x.end(), uint16_t{0});
  ThreadPool pool(2);
  strided_copy({{3, 2, 1, 1, 1, 1}, {-8, 1, 0, 0, 0, 0}, {5, 1, 0, 0, 0, 0}}, 2, x.data() + 17,
               y.data() + 2, pool);
  EXPECT_EQ(y, (std::vector<uint16_t>{9, 9, 17, 18, 9, 9, 9, 9, 10, 9, 9, 9, 1, 2, 9}))
      << testing::PrintToString(y);
}

TEST(StridedCopy, BroadcastsByStrideZero) {
  const float x[] = {1, 2, 3};
  std::vector<float> y(6);
  ThreadPool pool(1);
  strided_copy({{2, 3, 1, 1, 1, 1}, {0, 1, 0, 0, 0, 0}, {3, 1, 0, 0, 0, 0}}, 4, x, y.data(), pool);
  EXPECT_EQ(y, (std::vector<float>{1, 2, 3, 1, 2, 3}));
}

}  // namespace
}  // namespace hornbeam
