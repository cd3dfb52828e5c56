#include "backends/cpu/kernels/gemm_sampled.h"

#include "kernel_testing.h"

namespace hornbeam {
namespace {

// Plain sums in double, and the sums of magnitudes.
struct Expected {
  std::vector<double> values, scale;
};

Expected plain(const SampledGemm& p, const std::vector<float>& a, const std::vector<float>& b,
               const std::vector<float>& kept) {
  Expected expected;
  for (int64_t i = 0; i < p.rows * p.columns; ++i) {
    double sum = 0, scale = 0;
    for (int64_t k = 0; k < p.depth && kept[static_cast<size_t>(i)] != 0; ++k) {
      const double product = double{a[static_cast<size_t>(i / p.columns * p.depth + k)]} *
                             b[static_cast<size_t>(i % p.columns * p.depth + k)];
      sum += product, scale += std::abs(product);
    }
    expected.values.push_back(sum), expected.scale.push_back(scale);
  }
  return expected;
}

// About `share` of the elements, and NaN counts as one.
std::vector<float> pattern(const SampledGemm& p, double share) {
  std::vector<float> kept = random_floats(p.rows * p.columns, 7, 0.5, 1);
  Random random(8);
  for (float& value : kept)
    if (random.uniform() >= share) value = 0;
  kept.front() = std::nanf("");
  return kept;
}

void check(const SampledGemm& p, double share) {
  SCOPED_TRACE(testing::Message() << p.rows << "x" << p.columns << "x" << p.depth << " " << share);
  const std::vector<float> a = random_floats(p.rows * p.depth, 1);
  const std::vector<float> b = random_floats(p.columns * p.depth, 2);
  const std::vector<float> kept = pattern(p, share);
  const Expected expected = plain(p, a, b, kept);
  on_every_machine(
      [&](ThreadPool& pool) {
        std::vector<float> c(static_cast<size_t>(p.rows * p.columns), 7);
        TestWorkspace workspace(sampled_gemm_workspace(p, pool.threads()));
        sampled_gemm(p, a.data(), b.data(), kept.data(), c.data(), workspace.data(), pool);
        return c;
      },
      [&](const std::vector<float>& c) { expect_near(c, expected.values, expected.scale, 1e-6); });
}

TEST(SampledGemm, WantedElementsAreSumsAndTheOthersZero) {
  for (const SampledGemm& p : {SampledGemm{1, 1, 32}, {5, 7, 64}, {97, 65, 96}, {200, 130, 224}})
    for (double share : {0.0, 0.25, 0.9}) check(p, share);
}

TEST(SampledGemm, WhatIsNotWantedMayBeAnything) {
  const SampledGemm p{20, 30, 64};
  std::vector<float> a = random_floats(p.rows * p.depth, 1), kept(20 * 30, 0.0f);
  const std::vector<float> b = random_floats(p.columns * p.depth, 2);
  a[3 * 64 + 5] = HUGE_VALF;
  kept[3 * 30 + 1] = kept[4 * 30 + 2] = 1;
  on_every_machine(
      [&](ThreadPool& pool) {
        std::vector<float> c(20 * 30);
        TestWorkspace workspace(sampled_gemm_workspace(p, pool.threads()));
        sampled_gemm(p, a.data(), b.data(), kept.data(), c.data(), workspace.data(), pool);
        return c;
      },
      [&](const std::vector<float>& c) {
        for (size_t i = 0; i < c.size(); ++i) {
          if (kept[i] == 0) {
            EXPECT_EQ(c[i], 0);
          }
          EXPECT_EQ(std::isinf(c[i]), i == 3 * 30 + 1);
        }
      });
}

}  // namespace
}  // namespace hornbeam
