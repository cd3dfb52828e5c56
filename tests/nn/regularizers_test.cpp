// Penalties on the weight [1, -2, 3], whose absolute values add up to 6 and squares to 14.
#include <gtest/gtest.h>

#include <algorithm>

#include "golden/cases.h"
#include "nn/regularizer.h"
#include "ops/gradients.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

struct Penalty {
  const char* form;  // as Keras 3.15 writes it, or a name
  std::string_view class_name;
  double penalty;
  std::vector<float> gradient;
};

const Penalty penalties[] = {
    {R"({"class_name": "L1", "config": {"l1": 0.5}})", "L1", 3, {.5f, -.5f, .5f}},
    {R"({"class_name": "L2", "config": {"l2": 0.5}})", "L2", 7, {1, -2, 3}},
    {R"({"class_name": "L1L2", "config": {"l1": 0.5, "l2": 0.5}})",
     "L1L2",
     10,
     {1.5f, -2.5f, 3.5f}},
    {R"({"class_name": "L1L2", "config": {"l1": 0.0, "l2": 0.5}})", "L1L2", 7, {1, -2, 3}},
    {R"("l1")", "L1", 0.06, {.01f, -.01f, .01f}},
    {R"("l2")", "L2", 0.14, {.02f, -.04f, .06f}},
    {R"("l1_l2")", "L1L2", 0, {0, 0, 0}},
};

TEST(Regularizers, AddTheirPenalties) {
  for (const Penalty& expected : penalties) {
    auto regularizer = read_object(regularizers(), parse_json(expected.form, ""), "test");
    EXPECT_EQ(regularizer->class_name(), expected.class_name);
    Builder build(true);
    Expr weight = build.input("weight", {DType::float32, {3}});
    Expr penalty = regularizer->penalty(weight);
    build.output("penalty", penalty);
    build.output("gradient", gradients(penalty, std::array{weight})[0]);
    Graph graph = build.finish();
    for (const std::string& runner : golden::runners()) {
      auto results = golden::run(runner, graph, {Tensor::of<float>({3}, {1, -2, 3})});
      EXPECT_NEAR(results[0].values<float>()[0], expected.penalty, 1e-6) << expected.form;
      golden::expect_close(results[1], Tensor::of<float>({3}, std::span(expected.gradient)),
                           expected.form);
    }
  }
}

TEST(Regularizers, WriteWhatTheyRead) {
  for (const Penalty& each : penalties) {
    Json form = parse_json(each.form, "");
    Json written = object_json(*read_object(regularizers(), form, "test"), regularizers().module);
    if (!form.is_object()) continue;
    EXPECT_EQ(json_text(written.at("config")), json_text(form.at("config")));
  }
}

TEST(RegularizerTable, HasACaseForEveryEntry) {
  for (const auto& row : regularizers().rows)
    EXPECT_TRUE(std::ranges::count(penalties, row.class_name, &Penalty::class_name))
        << row.class_name;
}

}  // namespace
}  // namespace hornbeam
