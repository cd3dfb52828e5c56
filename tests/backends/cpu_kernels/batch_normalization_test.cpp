#include "backends/cpu/kernels/batch_normalization.h"

#include "kernel_testing.h"

namespace hornbeam {
namespace {

struct Case {
  int64_t rows, channels, valid;
  double offset = 0;
};

struct Numbers {
  explicit Numbers(const Case& c)
      : x(random_floats(c.rows * c.channels, 1, c.offset - 1, c.offset + 1)),
        dy(random_floats(c.rows * c.channels, 2)),
        gamma(random_floats(c.channels, 3, 0.5, 2)),
        beta(random_floats(c.channels, 4)) {}
  std::vector<float> x, dy, gamma, beta;
};

// y, mean, variance, dx, dgamma, dbeta, one after the other.
std::vector<float> run(const BatchNormalization& p, const Numbers& n, ThreadPool& pool) {
  const size_t size = n.x.size(), channels = n.gamma.size();
  std::vector<float> all(2 * size + 4 * channels, 5.0f), inverse(channels);
  float* y = all.data();
  float *mean = y + size, *variance = mean + channels, *dx = variance + channels;
  TestWorkspace workspace(batch_normalization_workspace(p, pool.threads()));
  batch_normalization_forward(p, n.x.data(), n.gamma.data(), n.beta.data(), y,
                              {mean, variance, inverse.data()}, workspace.data(), pool);
  batch_normalization_backward(p, n.x.data(), n.dy.data(), mean, inverse.data(), n.gamma.data(),
                               {dx, dx + size, dx + size + channels}, workspace.data(), pool);
  return all;
}

struct Expected {
  std::vector<double> value, scale;
  void add(double v, double s) {
    value.push_back(v);
    scale.push_back(s);
  }
};

// The definitions, in double.
Expected plain(const BatchNormalization& p, const Numbers& n, const Case& c) {
  const size_t channels = n.gamma.size(), valid = static_cast<size_t>(p.valid_rows);
  const double count = static_cast<double>(std::max<int64_t>(1, p.valid_rows));
  std::vector<double> mean(channels), variance(channels), sum(channels), dot(channels);
  for (size_t i = 0; i < valid * channels; ++i) mean[i % channels] += n.x[i] / count;
  for (size_t i = 0; i < valid * channels; ++i)
    variance[i % channels] += std::pow(n.x[i] - mean[i % channels], 2) / count;
  const auto hat = [&](size_t i) {
    return (n.x[i] - mean[i % channels]) / std::sqrt(variance[i % channels] + p.epsilon);
  };
  for (size_t i = 0; i < valid * channels; ++i) {
    sum[i % channels] += n.dy[i];
    dot[i % channels] += n.dy[i] * hat(i);
  }
  const double off = 1 + std::abs(c.offset);  // x itself is rounded, and so is the mean
  Expected out;
  for (size_t i = 0; i < n.x.size(); ++i)
    out.add(hat(i) * n.gamma[i % channels] + n.beta[i % channels], (8 + std::abs(hat(i))) * off);
  for (double value : mean) out.add(value, off);
  for (double value : variance) out.add(value, 1);
  for (size_t i = 0; i < n.x.size(); ++i) {
    const size_t k = i % channels;
    const double dx = n.gamma[k] / std::sqrt(variance[k] + p.epsilon) *
                      (n.dy[i] - sum[k] / count - hat(i) * dot[k] / count);
    out.add(i < valid * channels ? dx : 0, i < valid * channels ? 300 * off : 0);
  }
  for (double value : dot) out.add(value, count * off);
  for (double value : sum) out.add(value, count);
  return out;
}

void check_case(const Case& c) {
  SCOPED_TRACE(testing::Message() << c.rows << "x" << c.channels << " valid " << c.valid
                                  << " offset " << c.offset);
  const BatchNormalization p{c.rows, c.channels, c.valid, 1e-3f};
  const Numbers numbers(c);
  const Expected expected = plain(p, numbers, c);
  on_every_machine([&](ThreadPool& pool) { return run(p, numbers, pool); },
                   [&](const std::vector<float>& all) {
                     expect_near(all, expected.value, expected.scale, 5e-7);
                   });
}

TEST(BatchNormalization, EveryShape) {
  check_case({1, 1, 1});
  check_case({7, 5, 7});
  check_case({64, 16, 64});
  check_case({5000, 37, 5000});
  check_case({3000, 96, 3000});
  check_case({20, 3000, 20});
  check_case({0, 4, 0});
}

TEST(BatchNormalization, PaddingRowsDoNotCount) {
  check_case({50, 9, 31});
  check_case({5000, 40, 1700});
  check_case({6, 9, 0});
}

TEST(BatchNormalization, AMeanFarFromZero) {
  check_case({4000, 12, 4000, 100});
  check_case({4000, 12, 4000, -3000});
}

// Values 1, 2, 3, 4: mean 2.5 and the biased variance 1.25, not 1.6667.
TEST(BatchNormalization, VarianceIsBiased) {
  const float x[] = {1, 2, 3, 4};
  float y[4], mean, variance, inverse;
  ThreadPool pool(1);
  const BatchNormalization p{4, 1, 4, 0};
  TestWorkspace workspace(batch_normalization_workspace(p, 1));
  batch_normalization_forward(p, x, nullptr, nullptr, y, {&mean, &variance, &inverse},
                              workspace.data(), pool);
  EXPECT_EQ(mean, 2.5f);
  EXPECT_EQ(variance, 1.25f);
  EXPECT_FLOAT_EQ(y[0], -1.3416408f);  // -1.5 / sqrt(1.25)
}

}  // namespace
}  // namespace hornbeam
