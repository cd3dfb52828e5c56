#include "base/rng.h"

#include <gtest/gtest.h>

#include <vector>

namespace hornbeam {
namespace {

// Known answers of Threefry-2x32-20 published with the Random123 library.
TEST(Threefry, MatchesThePublishedVectors) {
  EXPECT_EQ(threefry(0, 0), 0x99ba4efe6b200159u);
  EXPECT_EQ(threefry(~0ull, ~0ull), 0xbb002be71cb996fcu);
  EXPECT_EQ(threefry(0x0370734413198a2eull, 0x85a308d3243f6a88ull), 0x483df7a0c4923a9cu);
}

TEST(Random, BelowStaysBelow) {
  Random random(1);
  std::vector<int> seen(3);
  for (int i = 0; i < 300; ++i) ++seen.at(random.below(3));
  for (int count : seen) EXPECT_GT(count, 60);
}

TEST(Random, NormalHasUnitVariance) {
  Random random(2);
  double sum = 0, squares = 0;
  for (int i = 0; i < 20000; ++i) {
    double x = random.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / 20000, 0, 0.03);
  EXPECT_NEAR(squares / 20000, 1, 0.04);
}

}  // namespace
}  // namespace hornbeam
