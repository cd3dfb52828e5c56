// Every case of every op, results and gradients, on every backend: the same outside numbers as for
// the reference meanings.
#include <gtest/gtest.h>

#include "backends/backends.h"
#include "ops/cases/op_case.h"

namespace hornbeam {
namespace {

using namespace op_cases;

std::vector<Tensor> run_on(Backend& backend, const Graph& graph,
                           const std::vector<Tensor>& inputs) {
  auto executable = backend.compile(graph, {});
  executable->prepare();
  std::vector<Buffer> buffers, outputs(graph.outputs().size());
  for (const Tensor& input : inputs) buffers.push_back(backend.upload(input));
  executable->run(buffers, outputs);
  std::vector<Tensor> results;
  for (const Buffer& output : outputs) results.push_back(backend.download(output));
  return results;
}

void expect_case(Backend& backend, const Family& family, const OpCase& op_case) {
  SCOPED_TRACE(std::string(family.name) + "/" + std::string(op_case.name));
  Golden golden = golden_of(family, op_case);
  Types types = types_of(golden.inputs);
  auto expect_equal = [&](const Tensor& received, const Tensor& expected) {
    EXPECT_LE(error(received, expected, op_case.relative, op_case.absolute), 1);
  };
  std::vector<Tensor> results = run_on(backend, result_graph(op_case, types), golden.inputs);
  for (size_t i = 0; i < results.size(); ++i) expect_equal(results[i], golden.results.at(i));
  if (!golden.has_gradients()) return;
  std::vector<Tensor> found =
      run_on(backend, gradient_graph(op_case, golden, types), golden.inputs);
  size_t next = 0;
  for (const auto& expected : golden.gradients)
    if (expected) expect_equal(found.at(next++), *expected);
}

class OpCases : public testing::TestWithParam<const char*> {};

TEST_P(OpCases, HaveTheExpectedNumbers) {
  auto backend = make_backend(GetParam(), {.threads = 2});
  for (const Family& family : families())
    for (const OpCase& op_case : family.cases) expect_case(*backend, family, op_case);
}

INSTANTIATE_TEST_SUITE_P(All, OpCases, testing::Values("reference", "cpu"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace hornbeam
