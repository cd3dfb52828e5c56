#include <gtest/gtest.h>

#include "ir/builder.h"
#include "ir/interpret.h"
#include "ir/scope.h"
#include "ir/text.h"
#include "ir/verify.h"

namespace hornbeam {
namespace {

// A small op set of the test's own: ir/ knows no op but input and constant.
Types same_type(const OpUse& use) {
  if (use.operands.size() != 1) throw Error("H701", {.message = "one operand"});
  return {use.operands[0]};
}

const OpDef twice_op{
    .name = "twice",
    .op_class = OpClass::elementwise,
    .infer = same_type,
    .reference = [](const Node&, std::span<const Tensor* const> x, std::span<Tensor> y) {
      for (int64_t i = 0; i < y[0].elements(); ++i)
        y[0].values<float>()[i] = 2 * x[0]->values<float>()[i];
    }};

const OpDef four_times_op{.name = "four_times",
                          .infer = same_type,
                          .expand = [](Builder& build, const Node&, std::span<const Expr> x) {
                            return Exprs{build.add(twice_op, {build.add(twice_op, {x[0]})})};
                          }};

const OpDef every_kind_op{.name = "every_kind",
                          .attrs = {{{"b", AttrKind::boolean},
                                     {"i", AttrKind::integer},
                                     {"n", AttrKind::number},
                                     {"t", AttrKind::text},
                                     {"l", AttrKind::integers}}},
                          .bodies = 1,
                          .infer = same_type};

const OpDef* const ops[] = {&twice_op, &four_times_op, &every_kind_op};

TEST(Builder, EqualNodesAreOne) {
  Builder build;
  Expr x = build.input("x", {DType::float32, {2}});
  EXPECT_EQ(build.add(twice_op, {x}).value, build.add(twice_op, {x}).value);
  EXPECT_EQ(build.constant(Tensor::scalar(1.0f)).value, build.constant(Tensor::scalar(1.0f)).value);
  EXPECT_NE(build.constant(Tensor::scalar(1.0f)).value, build.constant(Tensor::scalar(2.0f)).value);
}

TEST(Builder, FinishDropsWhatNoOutputNeeds) {
  Builder build;
  Expr x = build.input("x", {DType::float32, {2}});
  build.add(four_times_op, {x});
  build.output("y", build.add(twice_op, {x}));
  EXPECT_EQ(print(build.finish()),
            "%0 = input \"x\" batch : float32[2]\n"
            "%1 = twice(%0) : float32[2]\n"
            "output \"y\" result %1\n");
}

TEST(Builder, ADifferentiableOneExpandsWhatHasNoGradient) {
  Builder build(true);
  Expr x = build.input("x", {DType::float32, {}});
  build.output("y", build.add(four_times_op, {x}));
  EXPECT_EQ(build.finish().nodes().size(), 3u);
}

TEST(Interpret, RunsReferencesAndExpansions) {
  Builder build;
  Expr x = build.input("x", {DType::float32, {2}});
  build.output("y", build.add(four_times_op, {x}));
  Graph graph = build.finish();
  Tensor input = Tensor::of<float>({2}, {1, -3});
  std::vector<Tensor> outputs = interpret(graph, {{input}});
  EXPECT_TRUE(identical(outputs[0], Tensor::of<float>({2}, {4, -12})));
  EXPECT_THROW(interpret(graph, {{Tensor::scalar(1.0f)}}), Error);
}

TEST(Text, RoundTripKeepsEverything) {
  constexpr std::string_view text =
      "%0 = input \"x\" state : float32[2]\n"
      "%1 = constant {value = [0.1,inf]} : float32[2]\n"
      "%2 = constant {value = 9223372036854775807} : int64[]\n"
      "%3 = every_kind(%0) {b = true, i = -3, n = 0.1, t = \"same\", l = [1,-2]} : float32[2] {\n"
      "  %0 = input \"x\" batch : float32[2]\n"
      "  %1 = twice(%0) : float32[2]\n"
      "  output \"y\" result %1\n"
      "}\n"
      "output \"x\" state %3\n"
      "output \"a\" result %1\n"
      "output \"b\" result %2\n";
  Graph graph = parse_graph(text, ops);
  verify(graph);
  EXPECT_EQ(print(graph), text);
}

TEST(Text, ShowsScopesWhenAsked) {
  constexpr std::string_view text =
      "%0 = input \"x\" state : float32[2] @ \"dense\"\n"
      "%1 = twice(%0) : float32[2] @ \"gradient/dense\"\n"
      "%2 = twice(%1) : float32[2]\n"
      "%3 = every_kind(%2) {b = true, i = -3, n = 0.1, t = \"same\", l = []} : float32[2] @ \"a\" "
      "{\n"
      "  %0 = input \"x\" batch : float32[2]\n"
      "  %1 = twice(%0) : float32[2] @ \"b\"\n"
      "  output \"y\" result %1\n"
      "}\n"
      "output \"x\" state %3\n";
  Graph graph = parse_graph(text, ops);
  EXPECT_EQ(print(graph, Scopes::shown), text);
  EXPECT_EQ(print(graph).find('@'), std::string::npos);
}

// Equal nodes are one, whatever they were built for: a scope has no meaning.
TEST(Builder, ScopesDoNotTellNodesApart) {
  Builder build;
  Expr x = build.input("x", {DType::float32, {2}});
  build.set_scope("first");
  Expr first = build.add(twice_op, {x});
  build.set_scope("second");
  EXPECT_EQ(build.add(twice_op, {x}).value, first.value);
  EXPECT_EQ(build.graph().node(first.value).scope, "first");
}

TEST(Scope, SaysThePhaseAndTheLayer) {
  auto expect = [](std::string_view scope, Phase phase, std::string_view layer) {
    EXPECT_EQ(origin_of(scope).phase, phase) << scope;
    EXPECT_EQ(origin_of(scope).layer, layer) << scope;
  };
  expect("block/dense", Phase::forward, "block/dense");
  expect("", Phase::forward, "");
  expect(gradient_scope("block/dense"), Phase::backward, "block/dense");
  expect(gradient_scope(""), Phase::backward, "");
  expect(update_scope("dense"), Phase::update, "dense");
  expect(update_scope(""), Phase::update, "");
  expect("gradients", Phase::forward, "gradients");
}

TEST(Text, RefusesWhatIsWrong) {
  for (std::string_view text :
       {"%0 = input \"x\" batch : float32[2", "%0 = unknown(%1) : float32[]",
        "%0 = twice(%1) : float32[]", "%0 = input \"x\" nowhere : float32[]",
        "%0 = input \"x\" batch : float31[]", "%0 = constant {value = [1,2]} : float32[3]",
        "%0 = constant {value = 1.5} : int32[]", "output \"x\" result %0", "nonsense",
        "%0 = input \"x\" batch : float32[2]\n%1 = twice(%0) : float32[3]",
        "%0 = input \"x\" batch : float32[2]\n%1 = twice(%0) {a = 1} : float32[2]",
        "%0 = input \"x\" batch : float32[2]\n%0 = twice(%0) : float32[2]",
        "%0 = input \"x\" batch : float32[2] @ dense",
        "%0 = input \"x\" batch : float32[99999999999999999999]"})
    EXPECT_THROW(parse_graph(text, ops), Error) << text;
}

TEST(Verify, StateOutputsMatchTheirInputs) {
  Builder build;
  build.input("w", {DType::float32, {2}}, Role::state);
  Expr other = build.input("x", {DType::float32, {3}});
  build.output("w", other, Role::state);
  EXPECT_THROW(verify(build.finish()), Error);
}

}  // namespace
}  // namespace hornbeam
