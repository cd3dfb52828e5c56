// Every layer against Keras: outputs, new state, gradients and configurations
// (tests/golden/layers).
#include <gtest/gtest.h>

#include "golden/cases.h"
#include "nn/layers/basic.h"
#include "ops/gradients.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

using golden::Numbers;

std::shared_ptr<Layer> read_layer(const Json& object) {
  return make_layer(object.at("class_name").as_text(), object.at("config"), "model");
}

// A layer with its weights and inputs, as its case has them.
class LayerCase {
 public:
  explicit LayerCase(const golden::Case& golden)
      : numbers(golden), inputs(numbers.list("input")), layer_(read_layer(layer_of(golden))) {
    std::vector<Shape> sample_shapes;
    for (const Tensor& input : inputs) {
      sample_shapes.push_back(input.shape());
      sample_shapes.back()[0] = 1;
    }
    layer_->build(sample_shapes);
    std::vector<Tensor> values = numbers.list("weight");
    EXPECT_EQ(layer_->own_weights().size(), values.size());
    inputs.insert(inputs.end(), values.begin(), values.end());
  }

  static const Json& layer_of(const golden::Case& golden) { return golden.description.at("layer"); }
  const Layer& layer() const { return *layer_; }
  size_t weights() const { return layer_->own_weights().size(); }

  Graph inference() {
    Builder build;
    Trace trace(build, false);
    Exprs x = graph_inputs(trace);
    build.output("output", layer_->call(trace, x).at(0));
    return build.finish();
  }

  // Outputs: the output, the new weights, the gradients of inputs and weights that have some.
  Graph training() {
    Builder build(true);
    Trace trace(build, true);
    Exprs x = graph_inputs(trace);
    Expr y = layer_->call(trace, x).at(0);
    build.output("training_output", y);
    Exprs sources;
    for (size_t i = 0; i < weights(); ++i) {
      const Weight* weight = layer_->own_weights()[i].get();
      sources.push_back(trace.weights.at(weight));
      auto moved = trace.updates.find(weight);
      output(build, "new_weight", i, moved == trace.updates.end() ? sources[i] : moved->second);
    }
    sources.insert(sources.end(), x.begin(), x.end());
    Exprs slopes = gradients(y, sources, build.constant(numbers["cotangent"]));
    for (size_t i = 0; i < sources.size(); ++i)
      i < weights() ? output(build, "weight_gradient", i, slopes[i])
                    : output(build, "input_gradient", i - weights(), slopes[i]);
    return build.finish();
  }

  Numbers numbers;
  std::vector<Tensor> inputs;  // of the graphs: those of the layer, then its weights

 private:
  Exprs graph_inputs(Trace& trace) {
    size_t own = inputs.size() - weights();
    Exprs x;
    for (size_t i = 0; i < inputs.size(); ++i) {
      Expr input =
          trace.build.input("input_" + std::to_string(i), {inputs[i].dtype(), inputs[i].shape()});
      if (i < own)
        x.push_back(input);
      else
        trace.weights[layer_->own_weights()[i - own].get()] = input;
    }
    trace.valid = trace.build.constant(Tensor::scalar(static_cast<int32_t>(inputs[0].shape()[0])));
    return x;
  }

  // Only what Keras has numbers for.
  void output(Builder& build, const std::string& name, size_t number, Expr value) {
    std::string full = name + "_" + std::to_string(number);
    if (numbers.contains(full)) build.output(full, value);
  }

  std::shared_ptr<Layer> layer_;
};

void expect_outputs(const Numbers& numbers, const Graph& graph, const std::vector<Tensor>& inputs) {
  for (const std::string& runner : golden::runners()) {
    std::vector<Tensor> results = golden::run(runner, graph, inputs);
    for (size_t i = 0; i < results.size(); ++i) {
      const std::string& name = graph.outputs()[i].name;
      golden::expect_close(results[i], numbers[name], runner + ", " + name);
    }
  }
}

void expect_weights(const Layer& layer, const Json::Array& expected) {
  ASSERT_EQ(layer.own_weights().size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const Weight& weight = *layer.own_weights()[i];
    EXPECT_EQ(weight.name, expected[i].at("name").as_text());
    EXPECT_EQ(weight.trainable && layer.trainable, expected[i].at("trainable").as_bool());
  }
}

class Layers : public testing::TestWithParam<golden::Case> {};

TEST_P(Layers, ComputeWhatKerasComputes) {
  LayerCase layer_case(GetParam());
  expect_weights(layer_case.layer(), GetParam().description.at("weights").as_array());
  expect_outputs(layer_case.numbers, layer_case.inference(), layer_case.inputs);
  expect_outputs(layer_case.numbers, layer_case.training(), layer_case.inputs);
}

TEST_P(Layers, WriteWhatKerasWrites) {
  const Json& by_keras = LayerCase::layer_of(GetParam());
  std::shared_ptr<Layer> layer = read_layer(by_keras);
  Json written = object_json(*layer, layers().module);
  golden::expect_part_of(written, by_keras, GetParam().name);
  EXPECT_EQ(json_text(config_of(*read_layer(written))), json_text(written.at("config")));
}

INSTANTIATE_TEST_SUITE_P(Keras, Layers, testing::ValuesIn(golden::cases("layers")),
                         golden::test_name);

// An InputLayer computes nothing that Keras could give numbers for.
TEST(LayerTable, HasACaseForEveryEntry) {
  for (const auto& row : layers().rows)
    EXPECT_TRUE(row.class_name == "InputLayer" ||
                golden::has_case("layers", "layer", row.class_name))
        << row.class_name;
}

TEST(ActivationTable, HasACaseForEveryEntry) {
  for (std::string_view name : activation_names()) {
    bool found = name == "legacy_hard_sigmoid";  // not of Keras 3; it has a test by hand
    for (const golden::Case& each : golden::cases("layers")) {
      const Json* activation = LayerCase::layer_of(each).at("config").find("activation");
      found |= activation != nullptr && *activation == Json(name);
    }
    EXPECT_TRUE(found) << name;
  }
}

}  // namespace
}  // namespace hornbeam
