// Every case of every op: results and gradients against outside numbers, gradients by projection in
// double, the text form. An op without a case is red.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "ir/interpret.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "ops/all.h"
#include "ops/cases/op_case.h"

namespace hornbeam::op_cases {
namespace {

struct Parameter {
  const Family* family;
  const OpCase* op_case;
};

std::vector<Parameter> all_cases() {
  std::vector<Parameter> list;
  for (const Family& family : families())
    for (const OpCase& op_case : family.cases) list.push_back({&family, &op_case});
  return list;
}

std::string test_name(const testing::TestParamInfo<Parameter>& info) {
  std::string name = std::string(info.param.family->name) + "_";
  for (char c : info.param.op_case->name) name += c == '.' ? 'p' : c;
  return name;
}

class Case : public testing::TestWithParam<Parameter> {
 protected:
  void expect_equal(const Tensor& received, const Tensor& expected, const std::string& what) {
    double worst = error(received, expected, op_case.relative, op_case.absolute);
    EXPECT_LE(worst, 1) << what << " is off by " << worst << " times the tolerance";
  }

  const OpCase& op_case = *GetParam().op_case;
  Golden golden = golden_of(*GetParam().family, op_case);
};

TEST_P(Case, GivesTheExpectedResults) {
  Graph graph = result_graph(op_case, types_of(golden.inputs));
  verify(graph);
  std::vector<Tensor> results = interpret(graph, golden.inputs);
  ASSERT_EQ(results.size(), golden.results.size());
  for (size_t i = 0; i < results.size(); ++i)
    expect_equal(results[i], golden.results[i], "result " + std::to_string(i));
}

TEST_P(Case, GivesTheExpectedGradients) {
  if (!golden.has_gradients()) return;
  Graph graph = gradient_graph(op_case, golden, types_of(golden.inputs));
  verify(graph);
  std::vector<Tensor> gradients = interpret(graph, golden.inputs);
  size_t next = 0;
  for (size_t i = 0; i < golden.gradients.size(); ++i)
    if (golden.gradients[i])
      expect_equal(gradients.at(next++), *golden.gradients[i], "gradient " + std::to_string(i));
}

TEST_P(Case, SurvivesTheTextForm) {
  Types types = types_of(golden.inputs);
  std::vector<Graph> graphs{result_graph(op_case, types)};
  if (golden.has_gradients()) graphs.push_back(gradient_graph(op_case, golden, types));
  for (const Graph& graph : graphs) {
    Graph again = parse_graph(print(graph), all_ops());
    EXPECT_EQ(print(again), print(graph));
  }
}

// The inputs in double, moved a little so that none lies on a kink.
std::vector<Tensor> moved(const Golden& golden) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> step(-0.02, 0.02);
  std::vector<Tensor> inputs;
  for (const Tensor& input : golden.inputs) {
    inputs.push_back(is_floating(input.dtype()) ? input.converted(DType::float64) : input);
    if (inputs.back().dtype() != DType::float64) continue;
    for (double& x : inputs.back().values<double>()) x += step(random);
  }
  return inputs;
}

std::vector<Tensor> along(std::vector<Tensor> inputs, const std::vector<Tensor>& direction,
                          double length) {
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t j = 0; j < direction[i].values<double>().size(); ++j)
      inputs[i].values<double>()[j] += length * direction[i].values<double>()[j];
  return inputs;
}

// A direction for each input that has a gradient; no numbers for the others.
std::vector<Tensor> random_direction(const Golden& golden) {
  std::mt19937 random(2);
  std::normal_distribution<double> number;
  std::vector<Tensor> direction;
  for (size_t i = 0; i < golden.inputs.size(); ++i) {
    Shape shape = golden.gradients[i] ? golden.inputs[i].shape() : Shape{0};
    direction.emplace_back(DType::float64, shape);
    for (double& x : direction.back().values<double>()) x = number(random);
  }
  return direction;
}

double seeded_sum(const std::vector<Tensor>& results, const Golden& golden) {
  double total = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!golden.seeds[i]) continue;
    Tensor seed = golden.seeds[i]->converted(DType::float64);
    for (size_t j = 0; j < seed.values<double>().size(); ++j)
      total += seed.values<double>()[j] * results[i].values<double>()[j];
  }
  return total;
}

double slope_of(const std::vector<Tensor>& gradients, const std::vector<Tensor>& direction) {
  double slope = 0;
  size_t next = 0;
  for (const Tensor& d : direction) {
    if (d.elements() == 0) continue;
    const Tensor& gradient = gradients.at(next++);
    for (size_t j = 0; j < d.values<double>().size(); ++j)
      slope += d.values<double>()[j] * gradient.values<double>()[j];
  }
  return slope;
}

// The slope along one random direction, by the gradients and by a central difference.
TEST_P(Case, HasGradientsThatAreSlopes) {
  if (!golden.has_gradients()) return;
  std::vector<Tensor> inputs = moved(golden), direction = random_direction(golden);
  Graph results = result_graph(op_case, types_of(inputs));
  auto total_at = [&](double length) {
    return seeded_sum(interpret(results, along(inputs, direction, length)), golden);
  };
  constexpr double h = 1e-5;
  double expected = (total_at(h) - total_at(-h)) / (2 * h);
  Graph gradients = gradient_graph(op_case, golden, types_of(inputs));
  double received = slope_of(interpret(gradients, inputs), direction);
  EXPECT_NEAR(received, expected, op_case.slope * std::max(1.0, std::abs(expected)));
}

INSTANTIATE_TEST_SUITE_P(All, Case, testing::ValuesIn(all_cases()), test_name);

// The graphs of a case. Composites stay whole in both, so every one of them is seen here.
std::vector<Graph> graphs_of(const Parameter& parameter) {
  Golden golden = golden_of(*parameter.family, *parameter.op_case);
  Types types = types_of(golden.inputs);
  std::vector<Graph> graphs{result_graph(*parameter.op_case, types)};
  if (golden.has_gradients()) graphs.push_back(gradient_graph(*parameter.op_case, golden, types));
  return graphs;
}

TEST(Cases, CoverEveryOp) {
  std::set<const OpDef*> seen;
  for (const Parameter& parameter : all_cases())
    for (const Graph& graph : graphs_of(parameter))
      for (const Node& node : graph.nodes()) seen.insert(node.op);
  for (const OpDef* op : all_ops()) EXPECT_TRUE(seen.contains(op)) << op->name << " has no case";
}

}  // namespace
}  // namespace hornbeam::op_cases
