#include "backends/cpu/kernels/batch_statistics.h"

#include "kernel_testing.h"

namespace hornbeam {
namespace {

struct Case {
  int64_t rows, channels, valid;
  double offset = 0;
};

// Means, then variances.
std::vector<float> run(const BatchStatistics& p, const std::vector<float>& x, ThreadPool& pool) {
  const size_t channels = static_cast<size_t>(p.channels);
  std::vector<float> all(2 * channels, 5.0f);
  TestWorkspace workspace(batch_statistics_workspace(p));
  batch_statistics(p, x.data(), all.data(), all.data() + channels, workspace.data(), pool);
  return all;
}

// The definitions, in double.
std::vector<double> plain(const BatchStatistics& p, const std::vector<float>& x) {
  const size_t channels = static_cast<size_t>(p.channels);
  const size_t valid = static_cast<size_t>(p.valid_rows) * channels;
  const double count = static_cast<double>(std::max<int64_t>(1, p.valid_rows));
  std::vector<double> all(2 * channels);
  for (size_t i = 0; i < valid; ++i) all[i % channels] += x[i] / count;
  for (size_t i = 0; i < valid; ++i)
    all[channels + i % channels] += std::pow(x[i] - all[i % channels], 2) / count;
  return all;
}

void check_case(const Case& c) {
  SCOPED_TRACE(testing::Message() << c.rows << "x" << c.channels << " valid " << c.valid
                                  << " offset " << c.offset);
  const BatchStatistics p{c.rows, c.channels, c.valid};
  const std::vector<float> x = random_floats(c.rows * c.channels, 1, c.offset - 1, c.offset + 1);
  const std::vector<double> expected = plain(p, x);
  std::vector<double> scale(expected.size(), 1);
  std::fill_n(scale.begin(), c.channels, 1 + std::abs(c.offset));
  on_every_machine([&](ThreadPool& pool) { return run(p, x, pool); },
                   [&](const std::vector<float>& all) { expect_near(all, expected, scale, 5e-7); });
}

TEST(BatchStatistics, EveryShape) {
  check_case({1, 1, 1});
  check_case({7, 5, 7});
  check_case({64, 16, 64});
  check_case({5000, 37, 5000});
  check_case({3000, 96, 3000});
  check_case({20, 3000, 20});
  check_case({0, 4, 0});
}

TEST(BatchStatistics, PaddingRowsDoNotCount) {
  check_case({50, 9, 31});
  check_case({5000, 40, 1700});
  check_case({6, 9, 0});
}

TEST(BatchStatistics, AMeanFarFromZero) {
  check_case({4000, 12, 4000, 100});
  check_case({4000, 12, 4000, -3000});
}

// Values 1, 2, 3, 4: mean 2.5 and the biased variance 1.25, not 1.6667.
TEST(BatchStatistics, VarianceIsBiased) {
  ThreadPool pool(1);
  EXPECT_EQ(run({4, 1, 4}, {1, 2, 3, 4}, pool), (std::vector<float>{2.5f, 1.25f}));
}

}  // namespace
}  // namespace hornbeam
