// Policies of dtypes: how they are read and written, which are refused, and what layers make of
// them. Numbers around 1 are rounded by hand: bfloat16 has steps of 2^-7 from 1 to 2, and ties go
// to the even one.
#include "nn/dtype_policy.h"

#include <gtest/gtest.h>

#include "ir/interpret.h"
#include "nn/made_models.h"
#include "ops/gradients.h"
#include "ops/ops.h"
#include "refusals.h"

namespace hornbeam {
namespace {

constexpr float step = 0x1p-7f;  // of bfloat16 above 1

std::shared_ptr<Layer> relu_with(const std::string& dtype) {
  return layer_of("ReLU", R"({"name": "r", "dtype": )" + dtype + "}");
}

// --- files ---

TEST(DTypePolicy, IsReadFromAllForms) {
  for (const char* form :
       {R"("mixed_bfloat16")",
        R"({"module": "keras", "class_name": "DTypePolicy", "config": {"name": "mixed_bfloat16"},
            "registered_name": null, "shared_object_id": 7})",
        R"({"class_name": "Policy", "config": {"name": "mixed_bfloat16"}})"})
    EXPECT_EQ(relu_with(form)->policy, mixed_bfloat16_policy) << form;
  for (const char* form : {R"("float32")", "null"})
    EXPECT_EQ(relu_with(form)->policy, float32_policy) << form;
}

TEST(DTypePolicy, IsWrittenAsAName) {
  EXPECT_EQ(config_of(*relu_with(R"("mixed_bfloat16")")).at("dtype"), Json("mixed_bfloat16"));
  EXPECT_EQ(config_of(*relu_with("null")).at("dtype"), Json("float32"));
}

TEST(DTypePolicy, OthersAreRefusedWithThoseThatWork) {
  for (const char* form :
       {R"("bfloat16")", R"("float16")", R"("mixed_float16")", R"("float64")",
        R"({"class_name": "DTypePolicy", "config": {"name": "mixed_float16"}})",
        R"({"class_name": "QuantizedDTypePolicy", "config": {"mode": "int8"}})", "7", "[]"})
    expect_error("H111", {"model/r (ReLU)", "dtype", "float32 and mixed_bfloat16"},
                 [&] { relu_with(form); });
}

// --- computing ---

Tensor rows(const Shape& shape, std::initializer_list<float> values) {
  return Tensor::of<float>(shape, values);
}

std::string kernel_layer(const std::string& dtype) {
  return R"({"name": "d", "units": 1, "dtype": ")" + dtype + "\"}";
}

// A dense layer of one kernel and bias on one number, and what it gives for it.
struct OneByOne {
  OneByOne(const std::string& dtype, float kernel, float bias)
      : layer(layer_of("Dense", kernel_layer(dtype))) {
    Shape sample{1, 1};
    layer->build(std::span(&sample, 1));
    layer->set_built();
    layer->own_weights()[0]->value = rows({1, 1}, {kernel});
    layer->own_weights()[1]->value = rows({1}, {bias});
  }

  Tensor of(float x) {
    Builder build;
    Trace trace(build, false);
    Expr given = build.constant(rows({1, 1}, {x}));
    build.output("y", call_layer(*layer, trace, std::span(&given, 1))[0]);
    EXPECT_EQ(trace.compute_dtype, DType::float32);  // outside of the layer
    return interpret(build.finish(), {})[0];
  }

  std::shared_ptr<Layer> layer;
};

float only_number(const Tensor& y) { return y.converted(DType::float32).values<float>()[0]; }

TEST(MixedBfloat16, CastsInputsAndWeightsAndRoundsEveryOperation) {
  Tensor input = OneByOne("mixed_bfloat16", 1, 0).of(1 + step / 2);  // a tie: 1 is even
  EXPECT_EQ(input.dtype(), DType::bfloat16);
  EXPECT_EQ(only_number(input), 1);
  EXPECT_EQ(only_number(OneByOne("mixed_bfloat16", 1 + 1.5f * step, 0).of(1)), 1 + 2 * step);
  // (1 + step)^2 = 1 + 2 step + step^2, rounded; the bias of half a step is then a tie again.
  EXPECT_EQ(only_number(OneByOne("mixed_bfloat16", 1 + step, step / 2).of(1 + step)), 1 + 2 * step);
}

TEST(Float32Policy, CastsNothing) {
  Tensor y = OneByOne("float32", 1 + step, step / 2).of(1 + step);
  EXPECT_EQ(y.dtype(), DType::float32);
  EXPECT_EQ(only_number(y), (1 + step) * (1 + step) + step / 2);
}

TEST(MixedBfloat16, GradientsOfVariablesAreFloat32) {
  OneByOne dense("mixed_bfloat16", 1, 0);
  Builder build(true);
  Trace trace(build, true);
  Expr x = build.constant(rows({1, 1}, {1 + step / 2}));
  Expr y = convert(call_layer(*dense.layer, trace, std::span(&x, 1))[0], DType::float32);
  Expr kernel = trace.weights.at(dense.layer->own_weights()[0].get());
  Exprs slopes = gradients(sum_all(y), std::span(&kernel, 1));
  build.output("slope", slopes[0]);
  Tensor slope = interpret(build.finish(), {})[0];
  EXPECT_EQ(slope.dtype(), DType::float32);
  EXPECT_EQ(only_number(slope), 1);  // the input as it was cast
}

// The normalised number is that of float32, rounded once: mean 2, variance 1 of (1, 3), epsilon
// 1e-3 gives ∓1 / sqrt(1.001) = ∓0.9995, nearest to 1 in steps of 2^-8.
TEST(MixedBfloat16, BatchNormalizationComputesInFloat32) {
  auto layer = layer_of("BatchNormalization", R"({"name": "b", "dtype": "mixed_bfloat16"})");
  Shape sample{1, 1};
  layer->build(std::span(&sample, 1));
  layer->set_built();
  Builder build;
  Trace trace(build, true);
  trace.valid = build.constant(Tensor::scalar(int32_t{2}));
  for (auto& weight : layer->own_weights())
    trace.weights[weight.get()] =
        full(build, {DType::float32, {1}}, weight->name == "gamma" ? 1 : 0);
  Expr x = build.constant(rows({2, 1}, {1, 3}));
  build.output("y", call_layer(*layer, trace, std::span(&x, 1))[0]);
  build.output("mean", trace.updates.at(layer->own_weights()[2].get()));
  std::vector<Tensor> results = interpret(build.finish(), {});
  EXPECT_EQ(results[0].dtype(), DType::bfloat16);
  EXPECT_EQ(only_number(results[0]), -1);
  EXPECT_EQ(results[1].dtype(), DType::float32);
  EXPECT_NEAR(only_number(results[1]), 0.02, 1e-8);  // 0.99 · 0 + 0.01 · 2
}

TEST(MixedBfloat16, EmbeddingsTakeEveryRow) {
  auto layer = layer_of("Embedding", R"({"name": "e", "input_dim": 300, "output_dim": 1,
                                         "dtype": "mixed_bfloat16"})");
  Shape sample{1, 1};
  layer->build(std::span(&sample, 1));
  layer->set_built();
  Tensor table(DType::float32, {300, 1});
  table.values<float>()[257] = 5;  // bfloat16 has no 257
  layer->own_weights()[0]->value = table;
  Builder build;
  Trace trace(build, false);
  Expr row = build.constant(rows({1, 1}, {257}));
  Expr y = call_layer(*layer, trace, std::span(&row, 1))[0];
  EXPECT_EQ(y.dtype(), DType::bfloat16);
  build.output("y", y);
  EXPECT_EQ(only_number(interpret(build.finish(), {})[0]), 5);
}

// --- models ---

TEST(ModelPolicy, IsThatOfLayersWithoutOneOfTheirOwn) {
  MadeModel inner;
  TensorRef a = inner.input("a", "[null, 2]");
  auto nested = inner.done({inner.call("ReLU", R"({"name": "inside"})", {a})});
  nested->name = "nested";
  MadeModel made;
  TensorRef x = made.input("x", "[null, 2]");
  x = made.call("Dense", kernel_layer("mixed_bfloat16"), {made.call(nested, {x})});
  auto model = made.done({x});
  EXPECT_EQ(model->policy_names(), "float32, mixed_bfloat16");
  model->set_dtype_policy(float32_policy);
  EXPECT_EQ(model->policy_names(), "float32, mixed_bfloat16");
  model->set_dtype_policy(mixed_bfloat16_policy);
  EXPECT_EQ(model->policy_names(), "mixed_bfloat16");
  EXPECT_EQ(model->calls[0].layer->policy, float32_policy);  // the input layer
}

}  // namespace
}  // namespace hornbeam
