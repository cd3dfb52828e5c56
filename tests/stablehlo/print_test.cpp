// The text itself, and what the verifier refuses.
#include "stablehlo/print.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "ops/ops.h"
#include "refusals.h"
#include "stablehlo/text.h"
#include "stablehlo/verify.h"

namespace hornbeam {
namespace {

constexpr std::string_view step_text =
    R"(module @step attributes {mhlo.num_replicas = 1 : i32, mhlo.num_partitions = 1 : i32} {
func.func public @main(
%arg0: tensor<2x3xf32> {tf.aliasing_output = 1 : i32},  // state w
%arg1: tensor<2xf32>  // batch x
) -> (tensor<f32>, tensor<2x3xf32>) {
%0 = "stablehlo.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
%1 = "stablehlo.reduce"(%arg1, %0) ({
^bb0(%left: tensor<f32>, %right: tensor<f32>):
%both = "stablehlo.add"(%left, %right) : (tensor<f32>, tensor<f32>) -> tensor<f32>
"stablehlo.return"(%both) : (tensor<f32>) -> ()
}) {dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
%2 = "stablehlo.negate"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
"func.return"(%1, %2) : (tensor<f32>, tensor<2x3xf32>) -> ()
}
}
)";

Graph step() {
  Builder build;
  Expr w = build.input("w", {DType::float32, {2, 3}}, Role::state);
  Expr x = build.input("x", {DType::float32, {2}});
  build.output("loss", sum_all(x), Role::result);
  build.output("w", -w, Role::state);
  return build.finish();
}

TEST(PrintStablehlo, WritesAStepWithItsStateDonated) {
  EXPECT_EQ(print_stablehlo(step()), step_text);
  EXPECT_NO_THROW(verify_stablehlo(step_text));
}

TEST(PrintStablehlo, SumsOverDevices) {
  Builder build;
  Expr x = build.input("x", {DType::float32, {2}});
  build.output("sum", all_reduce(x));
  build.output("id", replica_id(build));
  std::string text = print_stablehlo(build.finish(), {.devices = 4});
  EXPECT_NO_THROW(verify_stablehlo(text)) << text;
  EXPECT_NE(text.find("replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>"), text.npos);
  EXPECT_NE(text.find("mhlo.num_replicas = 4 : i32"), text.npos);
}

TEST(PrintStablehlo, SaysHowExactProductsAre) {
  Builder build;
  Expr x = build.input("x", {DType::float32, {2, 2}});
  build.output("y", dot(x, x));
  std::string text = print_stablehlo(build.finish(), {.matmul_precision = MatmulPrecision::high});
  EXPECT_NE(text.find("#stablehlo<precision HIGH>, #stablehlo<precision HIGH>"), text.npos);
}

TEST(PrintStablehlo, RefusesWhatIsNotLowered) {
  Builder build;
  Expr x = build.input("x", {DType::float32, {2, 2}});
  build.output("y", softmax(x, 1));
  expect_error("H704", {"softmax"}, [&] { print_stablehlo(build.finish()); });
}

TEST(StablehloConstant, KeepsEveryNumber) {
  auto text = [](auto value) { return stablehlo_constant(Tensor::scalar(value)); };
  EXPECT_EQ(text(1.0f), "dense<1.0> : tensor<f32>");
  EXPECT_EQ(text(1e-30f), "dense<1.0e-30> : tensor<f32>");
  EXPECT_EQ(text(0.1), "dense<0.1> : tensor<f64>");
  EXPECT_EQ(text(-0.0f), "dense<-0.0> : tensor<f32>");
  EXPECT_EQ(text(-std::numeric_limits<float>::infinity()), "dense<0xFF800000> : tensor<f32>");
  EXPECT_EQ(text(BFloat16(INFINITY)), "dense<0x7F80> : tensor<bf16>");
  EXPECT_EQ(text(true), "dense<true> : tensor<i1>");
  EXPECT_EQ(text(int64_t{-7}), "dense<-7> : tensor<i64>");
}

TEST(StablehloConstant, NestsNumbersAndWritesEqualOnesOnce) {
  Tensor table(DType::uint8, {2, 2});
  EXPECT_EQ(stablehlo_constant(table), "dense<0> : tensor<2x2xui8>");
  table.values<uint8_t>()[1] = 5;
  EXPECT_EQ(stablehlo_constant(table), "dense<[[0, 5], [0, 0]]> : tensor<2x2xui8>");
  EXPECT_EQ(stablehlo_constant(Tensor(DType::float32, {0})), "dense<> : tensor<0xf32>");
}

// --- the verifier ---

void expect_refused(std::string_view old_part, std::string_view new_part) {
  std::string text(step_text);
  const size_t at = text.find(old_part);
  ASSERT_NE(at, text.npos) << old_part;
  text.replace(at, old_part.size(), new_part);
  SCOPED_TRACE(text);
  expect_error("H702", {}, [&] { verify_stablehlo(text); });
}

TEST(VerifyStablehlo, RefusesWhatDoesNotFit) {
  expect_refused("stablehlo.negate", "stablehlo.frobnicate");
  expect_refused("stablehlo.negate", "stablehlo.add");
  expect_refused("negate\"(%arg0)", "negate\"(%arg7)");
  expect_refused("negate\"(%arg0)", "negate\"(%both)");
  expect_refused("negate\"(%arg0)", "negate\"(%arg1)");
  expect_refused("-> tensor<2x3xf32>\n\"func", "-> tensor<3x2xf32>\n\"func");
  expect_refused("%2 = ", "%1 = ");
  expect_refused("%2 = ", "%2:2 = ");
  expect_refused("{dimensions = array<i64: 0>}", "");
  expect_refused("{dimensions = array", "{axes = array");
  expect_refused("dense<0.0> : tensor<f32>", "dense<0.0> : tensor<f64>");
  expect_refused("(%left, %right)", "(%left, %arg1)");
  expect_refused("\"stablehlo.return\"(%both) : (tensor<f32>) -> ()\n", "");
  expect_refused("\"func.return\"(%1, %2)", "\"func.return\"(%2, %1)");
  expect_refused("-> (tensor<f32>, tensor<2x3xf32>) {", "-> (tensor<f32>) {");
}

TEST(VerifyStablehlo, RefusesDamagedText) {
  expect_refused("module", "modul");
  expect_refused("func.func", "func.fun");
  expect_refused("(%arg1, %0)", "(%arg1 %0)");
  expect_refused("}) {dimensions", "} {dimensions");
  expect_refused("%arg1: tensor<2xf32>", "%arg1: vector<2xf32>");
  for (size_t length = 0; length < step_text.size() - 2; length += 7)
    expect_error("H702", {}, [&] { verify_stablehlo(step_text.substr(0, length)); });
}

}  // namespace
}  // namespace hornbeam
