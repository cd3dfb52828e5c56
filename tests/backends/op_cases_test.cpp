// Every case of every op, results and gradients, on every backend: the same outside numbers as for
// the reference meanings.
#include <gtest/gtest.h>

#include "backends/backends.h"
#include "ops/cases/op_case.h"
#include "run_on.h"

namespace hornbeam {
namespace {

using namespace op_cases;

// The outputs of a case: its results, then its gradients where it has some.
std::vector<Tensor> outputs_of(Backend& backend, const Family& family, const OpCase& op_case) {
  Golden golden = golden_of(family, op_case);
  Types types = types_of(golden.inputs);
  std::vector<Tensor> outputs = run_on(backend, result_graph(op_case, types), golden.inputs);
  if (!golden.has_gradients()) return outputs;
  for (Tensor& gradient : run_on(backend, gradient_graph(op_case, golden, types), golden.inputs))
    outputs.push_back(std::move(gradient));
  return outputs;
}

std::vector<Tensor> expected_of(const Golden& golden) {
  std::vector<Tensor> expected = golden.results;
  for (const auto& gradient : golden.gradients)
    if (gradient) expected.push_back(*gradient);
  return expected;
}

void expect_case(Backend& backend, const Family& family, const OpCase& op_case) {
  SCOPED_TRACE(std::string(family.name) + "/" + std::string(op_case.name));
  std::vector<Tensor> received = outputs_of(backend, family, op_case);
  std::vector<Tensor> expected = expected_of(golden_of(family, op_case));
  ASSERT_EQ(received.size(), expected.size());
  for (size_t i = 0; i < received.size(); ++i)
    EXPECT_LE(error(received[i], expected[i], op_case.relative, op_case.absolute), 1);
}

class OpCases : public testing::TestWithParam<const char*> {};

TEST_P(OpCases, HaveTheExpectedNumbers) {
  auto backend = make_backend(GetParam(), {});
  for (const Family& family : families())
    for (const OpCase& op_case : family.cases) expect_case(*backend, family, op_case);
}

INSTANTIATE_TEST_SUITE_P(All, OpCases, testing::Values("reference", "cpu"),
                         [](const auto& test) { return std::string(test.param); });

TEST(OpCases, HaveTheSameBitsAtAnyNumberOfThreads) {
  auto one = make_backend("cpu", {});
  for (int threads : {2, 3}) {
    auto more = make_backend("cpu", {.threads = threads});
    for (const Family& family : families())
      for (const OpCase& op_case : family.cases) {
        std::vector<Tensor> expected = outputs_of(*one, family, op_case);
        std::vector<Tensor> received = outputs_of(*more, family, op_case);
        for (size_t i = 0; i < expected.size(); ++i)
          EXPECT_TRUE(identical(received[i], expected[i])) << family.name << "/" << op_case.name;
      }
  }
}

}  // namespace
}  // namespace hornbeam
