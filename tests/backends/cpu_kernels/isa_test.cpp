#include "backends/cpu/kernels/isa.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace hornbeam {
namespace {

TEST(Isa, UsesTheBestByDefault) { EXPECT_EQ(current_isa(), available_isas().front()); }

TEST(Isa, LastIsTheOneEveryMachineHas) { EXPECT_EQ(available_isas().back(), "sse4"); }

TEST(Isa, ForcesALesserOneAndGoesBack) {
  const auto all = available_isas();
  force_isa("sse4");
  EXPECT_EQ(current_isa(), "sse4");
  EXPECT_EQ(available_isas(), all);
  force_isa(all.front());
  EXPECT_EQ(current_isa(), all.front());
}

TEST(Isa, RefusesUnknownOnes) {
  try {
    force_isa("neon");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code().name, "H302");
    EXPECT_NE(std::string(error.what()).find("sse4"), std::string::npos);
  }
}

}  // namespace
}  // namespace hornbeam
