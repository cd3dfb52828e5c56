// Models: the orders of layers and calls, weights, layers that are shared.
#include "nn/model.h"

#include <gtest/gtest.h>

#include "ir/interpret.h"
#include "nn/layer_order.h"
#include "nn/made_models.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

using Names = std::vector<std::string>;

Names layer_names(const Model& model) {
  Names names;
  for (const auto& layer : model.layers()) names.push_back(layer->name);
  return names;
}

// a = Dense(i), b = Dense(i), c = Dense(a), then Add of b and c in either order.
Names names_of_add(bool swapped) {
  MadeModel make;
  TensorRef i = make.input("i", "[null, 2]");
  TensorRef a = make.call("Dense", R"({"name": "a", "units": 2})", {i});
  TensorRef b = make.call("Dense", R"({"name": "b", "units": 2})", {i});
  TensorRef c = make.call("Dense", R"({"name": "c", "units": 2})", {a});
  std::vector<TensorRef> operands = swapped ? std::vector{c, b} : std::vector{b, c};
  TensorRef add = make.call("Add", R"({"name": "add"})", operands);
  return layer_names(*make.done({add}));
}

// Computed with Keras 3.15.
TEST(LayerOrder, FollowsTheOperandsAndNotTheMaking) {
  EXPECT_EQ(names_of_add(false), (Names{"i", "a", "b", "c", "add"}));
  EXPECT_EQ(names_of_add(true), (Names{"i", "a", "c", "b", "add"}));
}

TEST(LayerOrder, LeavesOutLayersThatNoOutputNeeds) {
  MadeModel make;
  TensorRef i = make.input("i", "[null, 2]");
  make.call("Dense", R"({"name": "unused", "units": 2})", {i});
  TensorRef used = make.call("Dense", R"({"name": "used", "units": 2})", {i});
  EXPECT_EQ(layer_names(*make.done({used})), (Names{"i", "used"}));
}

// Keras puts an input that nothing uses at depth 0, before the layers of that depth.
TEST(LayerOrder, PutsUnusedInputsBeforeTheLastLayers) {
  MadeModel make;
  TensorRef i = make.input("i", "[null, 2]");
  make.input("unused", "[null, 2]");
  TensorRef last = make.call("Dense", R"({"name": "last", "units": 2})", {i});
  EXPECT_EQ(layer_names(*make.done({last})), (Names{"i", "unused", "last"}));
}

TEST(LayerOrder, WalksGraphsOfAnyDepth) {
  MadeModel make;
  TensorRef x = make.input("i", "[null, null]");  // open, so nothing is built
  auto shared = layer_of("ReLU", "{}");
  for (int i = 0; i < 500000; ++i) x = make.call(shared, {x});
  auto model = make.done({x});
  EXPECT_EQ(keras_layer_order(*model).size(), 2u);
  EXPECT_EQ(keras_call_order(*model).size(), 500001u);
}

// The moving mean and variance after one training step of a BatchNormalization that is called on
// the columns [2, 4] and [10, 20].
std::vector<float> moved_by_two_calls(bool swapped) {
  MadeModel make;
  TensorRef a = make.input("a", "[null, 1]"), b = make.input("b", "[null, 1]");
  auto normalization = layer_of("BatchNormalization", R"({"name": "shared", "momentum": 0.5})");
  TensorRef x = make.call(normalization, {a}), y = make.call(normalization, {b});
  std::vector<TensorRef> operands = swapped ? std::vector{y, x} : std::vector{x, y};
  auto model = make.done({make.call("Add", "{}", operands)});
  model->initialize(0);

  Builder build(true);
  Trace trace(build, true);
  trace.valid = build.constant(Tensor::scalar(int32_t{2}));
  Exprs inputs{build.constant(Tensor::of<float>({2, 1}, {2, 4})),
               build.constant(Tensor::of<float>({2, 1}, {10, 20}))};
  model->call(trace, inputs);
  for (size_t i : {2, 3})
    build.output(std::to_string(i), trace.updates.at(normalization->own_weights()[i].get()));
  std::vector<float> values;
  for (const Tensor& moved : interpret(build.finish(), {}))
    values.push_back(moved.values<float>()[0]);
  return values;
}

// Each call starts from what the one before left, in the order of the operands of Add: mean
// 0 → 1.5 → 8.25 (batch means 3, 15), variance 1 → 1 → 13 (batch variances 1, 25), or the other way
// round. Keras 3.15 gives the same.
TEST(SharedBatchNormalization, MovesItsAveragesOnceACall) {
  EXPECT_EQ(moved_by_two_calls(false), (std::vector<float>{8.25f, 13}));
  EXPECT_EQ(moved_by_two_calls(true), (std::vector<float>{5.25f, 7}));
}

TEST(ModelWeights, CountALayerOnceThatIsSharedWithANestedModel) {
  auto dense = layer_of("Dense", R"({"name": "shared", "units": 3})");
  MadeModel inner;
  TensorRef x = inner.input("x", "[null, 3]");
  auto nested = inner.done({inner.call(dense, {x})});
  nested->name = "nested";
  MadeModel outer;
  TensorRef y = outer.input("y", "[null, 3]");
  auto model = outer.done({outer.call(dense, {outer.call(nested, {y})})});
  Names paths;
  for (const ModelWeight& each : model->weights()) paths.push_back(each.path);
  EXPECT_EQ(paths, (Names{"nested/shared/kernel", "nested/shared/bias"}));
  EXPECT_EQ(model->parameters(), 3 * 3 + 3);
}

// A graph of a Dense layer inside another graph.
std::shared_ptr<Model> nested_models(bool inner_trainable, bool outer_trainable) {
  MadeModel inner;
  TensorRef x = inner.input("x", "[null, 3]");
  auto nested = inner.done({inner.call("Dense", R"({"name": "dense", "units": 1})", {x})});
  nested->trainable = inner_trainable;
  MadeModel outer;
  TensorRef y = outer.input("y", "[null, 3]");
  auto model = outer.done({outer.call(nested, {y})});
  model->trainable = outer_trainable;
  return model;
}

std::vector<bool> trained_weights(Model& model) {
  std::vector<bool> trained;
  for (const ModelWeight& each : model.weights()) trained.push_back(each.trained);
  return trained;
}

// What Keras 3.15 trains of such models when it has read them from a file.
TEST(ModelWeights, AreTrainedByTheFlagOfTheirOwnLayer) {
  using Trained = std::vector<bool>;
  EXPECT_EQ(trained_weights(*nested_models(false, true)), (Trained{true, true}));
  EXPECT_EQ(trained_weights(*nested_models(true, false)), (Trained{false, false}));
  auto sequential = nested_models(true, false);
  sequential->sequential = true;
  EXPECT_EQ(trained_weights(*sequential), (Trained{true, true}));
}

TEST(ModelErrors, NameTheLayerThatAShapeDoesNotFit) {
  MadeModel make;
  TensorRef i = make.input("i", "[null, 6]");
  TensorRef shaped = make.call("Reshape", R"({"name": "shape", "target_shape": [4]})", {i});
  try {
    make.done({shaped});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code().name, "H114");
    EXPECT_EQ(error.parts().place, "shape (Reshape)");
    EXPECT_EQ(error.parts().message, "the target shape (4) does not fit 6 elements a sample");
  }
}

}  // namespace
}  // namespace hornbeam
