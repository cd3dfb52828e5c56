// Every constraint against Keras (tests/golden/constraints).
#include <gtest/gtest.h>

#include "golden/cases.h"
#include "nn/constraint.h"

namespace hornbeam {
namespace {

const Json& form_of(const golden::Case& golden) { return golden.description.at("constraint"); }

class Constraints : public testing::TestWithParam<golden::Case> {};

TEST_P(Constraints, ChangeWeightsAsKeras) {
  golden::Numbers numbers(GetParam());
  auto constraint = read_object(constraints(), form_of(GetParam()), "test");
  Builder build;
  Expr weight =
      build.input("weight", {DType::float32, golden::shape_of(GetParam().description.at("shape"))});
  build.output("constrained", constraint->apply(weight));
  Graph graph = build.finish();
  for (const std::string& runner : golden::runners())
    golden::expect_close(golden::run(runner, graph, {numbers["weight"]})[0], numbers["constrained"],
                         runner, {1e-6, 1e-7});
}

TEST_P(Constraints, WriteWhatKerasWrites) {
  auto constraint = read_object(constraints(), form_of(GetParam()), "test");
  golden::expect_part_of(object_json(*constraint, constraints().module), form_of(GetParam()),
                         GetParam().name);
}

INSTANTIATE_TEST_SUITE_P(Keras, Constraints, testing::ValuesIn(golden::cases("constraints")),
                         golden::test_name);

TEST(ConstraintTable, HasACaseForEveryEntry) {
  for (const auto& row : constraints().rows)
    EXPECT_TRUE(golden::has_case("constraints", "constraint", row.class_name)) << row.class_name;
}

TEST(ConstraintTable, KnowsTheShortNames) {
  for (const char* name :
       {"max_norm", "min_max_norm", "non_neg", "unit_norm", "nonneg", "unitnorm"})
    EXPECT_NO_THROW(make_by_name(constraints(), name, "test")) << name;
}

}  // namespace
}  // namespace hornbeam
