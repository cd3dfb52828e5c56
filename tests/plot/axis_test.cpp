#include "plot/axis.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hornbeam {
namespace {

std::vector<std::string> labels(const Scale& scale) {
  std::vector<std::string> all;
  for (const Tick& tick : scale.ticks()) all.push_back(tick.label);
  return all;
}

using Texts = std::vector<std::string>;

// 3 lies between the ticks 2 and 5, 1,200 between 1,000 and 2,000.
TEST(Scale, OfFewDecadesNumbersEveryTick) {
  const double values[] = {3, 1200};
  Scale scale(true, values);
  EXPECT_EQ(labels(scale),
            (Texts{"2", "5", "10", "20", "50", "100", "200", "500", "1,000", "2,000"}));
  EXPECT_DOUBLE_EQ(scale.place(2), 0);
  EXPECT_DOUBLE_EQ(scale.place(2000), 1);
  EXPECT_DOUBLE_EQ(scale.place(std::sqrt(2.0 * 2000.0)), 0.5);
}

TEST(Scale, OfManyDecadesNumbersThePowersOfTen) {
  const double values[] = {0.01, 1000};
  Texts numbered;
  for (const std::string& label : labels(Scale(true, values)))
    if (!label.empty()) numbered.push_back(label);
  EXPECT_EQ(numbered, (Texts{"0.01", "0.1", "1", "10", "100", "1,000"}));
}

TEST(Scale, LinearHasRoundSteps) {
  const double values[] = {0.13, 2.4};
  EXPECT_EQ(labels(Scale(false, values)), (Texts{"0", "0.5", "1", "1.5", "2", "2.5"}));
  const double epochs[] = {1, 2};
  EXPECT_EQ(labels(Scale(false, epochs, true)), (Texts{"1", "2"}));
}

TEST(Scale, OfOneValueOrNoneHasTwoEnds) {
  const double one[] = {5};
  for (bool logarithmic : {false, true}) {
    for (std::span<const double> values : {std::span<const double>(one), std::span<const double>()})
      EXPECT_GE(Scale(logarithmic, values).ticks().size(), 2u);
    EXPECT_TRUE(std::isfinite(Scale(logarithmic, one).place(5)));
  }
}

TEST(Scale, ShowsWhatItCan) {
  const double values[] = {1, 10, NAN, -3, 0};
  Scale scale(true, values);
  EXPECT_FALSE(scale.shows(0));
  EXPECT_FALSE(scale.shows(NAN));
  EXPECT_TRUE(scale.shows(4));
  EXPECT_EQ(labels(scale), (Texts{"1", "2", "5", "10"}));
}

}  // namespace
}  // namespace hornbeam
